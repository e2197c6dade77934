import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FileServer } from '../../server/src/testing/media/file-server.ts'
import { nameOfColour } from '../testing/colours.ts'
import { run } from '../testing/commands.ts'
import { eventually } from '../testing/eventually.ts'
import { colourIn, probe, soundOf, stillAt, toneLevel } from '../testing/media-file.ts'
import type { Participant } from '../testing/participant.ts'
import type { Layer, LayoutChanged } from '../testing/published-client.ts'
import { hears, middleOf, seatsOf, seesEachInItsTile } from '../testing/seen-and-heard.ts'
import { BLUE, GREEN, RED, useDeployment } from '../testing/use-deployment.ts'

/** Only servers of this suite's own may play files of this machine. */
const deployment = useDeployment({ name: 'playback', env: { PARLEY_ALLOW_PRIVATE_TARGETS: '1' } })

/** The film has the colour and the tone of this persona, who is in no room. */
const FILM = BLUE
const FILM_SECONDS = 60

let folder: string
let files: FileServer

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'parley-playback-'))
  const colour = FILM.colour.map((channel) => channel.toString(16).padStart(2, '0')).join('')
  const picture = `color=0x${colour}:s=320x180:r=15:d=${FILM_SECONDS}`
  const sound = `sine=${FILM.toneHz}:r=48000:d=${FILM_SECONDS}`
  const inputs = ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', sound]
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '15', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
  const file = path.join(folder, 'film.mp4')
  await run('ffmpeg', ['-y', '-v', 'error', ...inputs, ...codecs, '-movflags', '+faststart', file])
  files = await FileServer.start(folder)
})

afterAll(async () => {
  await files?.close()
  if (folder) await rm(folder, { recursive: true })
})

/** Two members; only Red may play files and record. Green sees both. */
async function two(): Promise<[Participant, Participant]> {
  const room_name = deployment.roomName()
  const red = await deployment.enter(RED, { room_name, permissions: ['room.playback', 'room.recording'] })
  const green = await deployment.enter(GREEN, { room_name, permissions: [] })
  await seesBoth(green, red, green)
  return [red, green]
}

const seesBoth = (viewer: Participant, red: Participant, green: Participant) =>
  seesEachInItsTile(
    viewer,
    seatsOf([
      [red, RED],
      [green, GREEN],
    ]),
  )

/** The tile of the file that is played, in the newest layout. */
function filmTile(viewer: Participant): Layer | undefined {
  const { params } = viewer.events.last('layout.changed') ?? {}
  return (params as LayoutChanged | undefined)?.layout.layers.find(({ playing_file }) => playing_file)
}

async function filmColour(viewer: Participant): Promise<string> {
  const tile = filmTile(viewer)
  if (tile === undefined) return 'no tile'
  const [colour] = await viewer.coloursAt([middleOf(tile)])
  return colour ? nameOfColour(colour) : 'no picture'
}

const seesFilm = (viewer: Participant) =>
  eventually(
    'the film in its tile',
    () => filmColour(viewer),
    (name) => name === FILM.name,
  )

test('a link that one member plays is seen and heard by another, until it is stopped', async () => {
  const [red, green] = await two()
  const url = files.url('film.mp4')
  expect((await green.refusalOf(green.call('play', { url }))).code).toBe('403')
  expect(files.requests).toEqual([])
  expect(filmTile(green)).toBeUndefined()

  const { id } = await red.call<{ id: string }>('play', { url })
  await seesFilm(green)
  await hears(green, [RED, FILM], [GREEN])
  await red.onPlayback(id, 'setVolume', -50)
  await hears(green, [RED], [FILM, GREEN])
  await red.onPlayback(id, 'setVolume', 0)
  const filmLevel = async () => (await green.spectrum([FILM.toneHz])).tones[0] ?? -200
  await eventually('the film is loud again', filmLevel, (level) => level > -45)

  await red.onPlayback(id, 'pause')
  await hears(green, [RED], [FILM, GREEN])
  expect(await filmColour(green)).toBe(FILM.name)
  await red.onPlayback(id, 'resume')
  await eventually('the film is heard again', filmLevel, (level) => level > -45)
  expect((await green.refusalOf(green.call('getPlaybacks'))).code).toBe('403')
  await red.onPlayback(id, 'stop')
  await eventually(
    'no tile',
    async () => filmTile(green),
    (tile) => tile === undefined,
  )
  await seesBoth(green, red, green)
  await eventually('no sound', filmLevel, (level) => level < -65)
})

test('a recording contains the picture and the sound of a file that is played meanwhile', async () => {
  const [red, green] = await two()
  const { id } = await red.call<{ id: string }>('startRecording')
  await red.call('play', { url: files.url('film.mp4') })
  await seesFilm(green)
  await hears(green, [RED, FILM], [GREEN])
  const tile = filmTile(green)
  if (tile === undefined) throw new Error('no tile')
  await red.onRecording(id, 'stop')
  const { uri } = await eventually(
    'the completed recording',
    () => deployment.rest.recording(id),
    ({ status }) => status === 'completed',
  )
  const file = path.join(folder, 'recording.mp4')
  await writeFile(file, (await deployment.rest.download(uri ?? '')).body)
  const { durationSeconds } = await probe(file)
  expect(durationSeconds).toBeGreaterThan(2)
  const still = await stillAt(file, durationSeconds - 0.7)
  expect(nameOfColour(colourIn(still, middleOf(tile)))).toBe(FILM.name)
  const sound = await soundOf(file)
  const level = (toneHz: number) => toneLevel(sound, toneHz, durationSeconds - 1.2, durationSeconds - 0.2)
  expect(level(FILM.toneHz)).toBeGreaterThan(-45)
  expect(level(RED.toneHz)).toBeGreaterThan(-60)
})
