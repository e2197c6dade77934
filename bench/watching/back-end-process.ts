/**
 * A back end in a process of its own: it signs in, subscribes to every session that it is told of, and acknowledges
 * every event. Arguments: URL, project, API token. It sends its parent the number of sessions that it watches, and
 * answers any message with the number of events so far.
 */
const [url = '', project, token] = process.argv.slice(2)
const socket = new WebSocket(url)
let id = 0
let watched = 0
let events = 0

const request = (method: string, params: object) =>
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: `r-${id++}`, method, params }))
const subscribe = (event_channel: string, names: string[]) =>
  request('signalwire.subscribe', { event_channel, events: names, get_initial_state: true })

socket.addEventListener('open', () => request('signalwire.connect', { authentication: { project, token } }))
socket.addEventListener('message', ({ data }) => {
  const frame = JSON.parse(String(data))
  if (frame.result?.authorization) subscribe('video.rooms', ['video.room.started', 'video.room.ended'])
  if (!frame.method) return
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: frame.id, result: {} }))
  if (frame.params.event_type === 'video.room.started') {
    subscribe(frame.params.params.room_session.event_channel, ['video.member.updated'])
  } else if (frame.params.event_type === 'video.room.subscribed') process.send?.({ watched: ++watched })
  else if (frame.method === 'signalwire.event') events++
})
process.on('message', () => process.send?.({ events }))
process.on('disconnect', () => process.exit())
