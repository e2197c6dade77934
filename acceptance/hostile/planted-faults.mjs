/**
 * Loaded into the server's processes before anything else (`node --import`). Plants faults in places where no known
 * input causes one any more.
 */
import { createSocket } from 'node:dgram'

const server = new URL('../../server/src/', import.meta.url)

/** On SIGUSR2: throws an error that no code near it catches. */
process.on('SIGUSR2', () => {
  setTimeout(() => {
    throw new Error('planted in a timer')
  }, 1)
  void Promise.reject(new Error('planted in a promise'))
  const socket = createSocket('udp4', () => {
    socket.close()
    throw new Error('planted in a datagram')
  })
  socket.bind(0, '127.0.0.1', () => socket.send('x', socket.address().port, '127.0.0.1'))
})

if (process.argv[1]?.includes('media-worker')) {
  const { AudioMixer } = await import(new URL('media-worker/mixer/audio-mixer.ts', server).href)
  const faulty = new WeakSet()
  const { setMember, tick } = AudioMixer.prototype
  AudioMixer.prototype.setMember = function (media) {
    if (media.name === 'faulty') faulty.add(this)
    setMember.call(this, media)
  }
  AudioMixer.prototype.tick = function (dueMs) {
    if (faulty.has(this)) throw new Error('planted in a room')
    tick.call(this, dueMs)
  }
} else if (process.argv[1]?.endsWith('server/src/main.ts')) {
  const { Connection } = await import(new URL('signaling/connection.ts', server).href)
  const { send } = Connection.prototype
  Connection.prototype.send = function (frame) {
    if (String(frame).includes('planted-id')) throw new Error('planted in a listener')
    send.call(this, frame)
  }
}
