import { writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import path from 'node:path'
import type { FrameLocator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults } from '../testing/axe.ts'
import { run } from '../testing/commands.ts'
import { installPacked } from '../testing/packed-packages.ts'
import { button, picturePlays, usePageVisitors } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'embed' })
const { visitor } = usePageVisitors(deployment, 'embed')

const SHOP = 'https://shop.example'

interface Token {
  name: 'moderator' | 'guest'
  token: string
  url: string
}
let moderator: Token
let guest: Token
beforeAll(async () => {
  const { rest } = deployment
  const made = await rest.send<{ id: string }>('POST', '/conferences', {
    name: deployment.roomName(),
    display_name: 'Town hall',
  })
  const tokens = await rest.send<{ data: Token[] }>('GET', `/conferences/${made.body.id}/conference_tokens`)
  moderator = tokens.body.data.find(({ name }) => name === 'moderator')!
  guest = tokens.body.data.find(({ name }) => name === 'guest')!
  expect((await rest.send('PUT', '/embedding', { origins: [SHOP] })).status).toBe(200)
})

interface Told {
  name: string
  detail: { reason?: string; code?: string; message?: string; member?: { id: string; name: string } }
}

/** Opens a page of another site, and notes what its conference tells it. */
async function site(origin: string, body: string, extra = '', inEachFrame = () => {}): Promise<Page> {
  const page = await visitor()
  await page.addInitScript(inEachFrame)
  const { baseUrl } = deployment.access
  const note = `const told = (window.told = [])
    const names = ['joined', 'left', 'member-joined', 'member-left', 'recording', 'layout', 'error']
    for (const name of names) document.addEventListener(name, ({ detail }) => told.push({ name, detail }), true)`
  await page.route(`${origin}/**`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<!doctype html><html lang="en"><title>Shop</title><style>body { margin: 0; height: 100vh } main { height: 100% }</style><script>${note}</script><body><main><h1 style="position: absolute; opacity: 0.01">Shop</h1>
        ${body.replaceAll('HOST', baseUrl)}${extra}`,
    }),
  )
  await page.goto(`${origin}/meeting`)
  return page
}

/**
 * Nobody picks a screen in a test. Whether this page may ask for one, the browser itself decides: it refuses at once, or it
 * waits for the person.
 */
function shareWithoutPicker(): void {
  const { mediaDevices } = navigator
  const ask = mediaDevices.getDisplayMedia.bind(mediaDevices)
  mediaDevices.getDisplayMedia = async (options) => {
    const waits = new Promise((resolve) => AbortSignal.timeout(1000).addEventListener('abort', resolve))
    await Promise.race([ask(options), waits])
    const canvas = document.createElement('canvas')
    canvas.getContext('2d')?.fillRect(0, 0, canvas.width, canvas.height)
    return canvas.captureStream(5)
  }
}

/** The three lines of docs/embedding.md. */
const threeLines = (token: string, attributes = 'device-picker') => `
<script src="HOST/embed.js"></script>
<parley-conference token="${token}" theme="light" chat member-list user-name="Ada" ${attributes}>
</parley-conference>`

const frameOf = (page: Page): FrameLocator => page.frameLocator('iframe[title="Conference"]')
const told = (page: Page, name: string): Promise<Told['detail'][]> =>
  page.evaluate(
    (wanted) =>
      (window as unknown as { told: Told[] }).told
        .filter(({ name }) => name === wanted)
        .map(({ detail }) => detail),
    name,
  )
/** Calls a method of the element. @returns its result, or the code and message of its error */
const command = (page: Page, method: string, ...values: string[]) =>
  page.evaluate(
    async ({ method, values }) => {
      const element = document.querySelector('parley-conference, sw-video-conference') as unknown as Record<
        string,
        (...values: string[]) => Promise<unknown>
      >
      try {
        return { result: await element[method]?.(...values) }
      } catch (error) {
        return { code: (error as { code?: string }).code, message: String(error) }
      }
    },
    { method, values },
  )

test('a page of another site embeds the conference in three lines, commands it, and is told what happens', async () => {
  const grace = await visitor()
  await grace.goto(guest.url)
  await grace.getByLabel('Your name').fill('Grace')
  await button(grace, 'Join now').click()
  await button(grace, 'Leave the room').waitFor()

  const page = await site(SHOP, threeLines(moderator.token))
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.url()))
  expect(await command(page, 'muteAudio')).toMatchObject({ code: 'not-joined' })
  // The button moves until the devices are listed.
  await frameOf(page).getByLabel('Speaker').waitFor()
  await frameOf(page).getByRole('button', { name: 'Join now' }).click()
  await expect.poll(() => told(page, 'joined'), { timeout: 20_000 }).toHaveLength(1)
  const [joined] = await told(page, 'joined')
  expect(joined).toMatchObject({ role: 'member', again: false })
  const members = (await command(page, 'members')).result as { id: string; name: string }[]
  expect(members.map(({ name }) => name).sort()).toEqual(['Ada', 'Grace'])

  expect(await command(page, 'muteAudio')).toEqual({})
  await frameOf(page).getByRole('button', { name: 'Turn microphone on' }).waitFor()
  expect(await command(page, 'unmuteAudio')).toEqual({})
  expect(await command(page, 'muteVideo')).toEqual({})
  const { result: devices } = await command(page, 'devices')
  const camera = (devices as { kind: string; id: string }[]).find(({ kind }) => kind === 'camera')
  expect(await command(page, 'setCamera', camera?.id ?? '')).toEqual({})
  expect((await command(page, 'layouts')).result).toContain('grid-responsive')
  expect(await command(page, 'setLayout', '2x2')).toEqual({})
  await expect.poll(() => told(page, 'layout')).toContainEqual({ name: '2x2' })
  expect(await command(page, 'setLayout', 'no-such-layout')).toMatchObject({ code: 'refused' })
  expect(await command(page, 'startRecording')).toEqual({})
  await expect.poll(() => told(page, 'recording')).toContainEqual({ state: 'recording' })
  expect(await command(page, 'stopRecording')).toEqual({})
  await expect.poll(() => told(page, 'recording')).toContainEqual({ state: 'ended' })

  const grid = (await command(page, 'members')).result as { id: string; name: string }[]
  expect(await command(page, 'removeMember', grid.find(({ name }) => name === 'Grace')!.id)).toEqual({})
  await expect.poll(() => told(page, 'member-left')).toMatchObject([{ member: { name: 'Grace' } }])
  await grace.getByText('A moderator removed you').waitFor()
  expect(await command(page, 'leave')).toEqual({})
  await expect.poll(() => told(page, 'left')).toEqual([{ reason: 'left' }])
  expect(await told(page, 'error')).toEqual([])
  expect(sent.filter((url) => url.includes('vpt_'))).toEqual([])
  expect(await accessibilityFaults(page)).toEqual([])
})

test('an audience only watches, and is asked for no device', async () => {
  const page = await site(SHOP, threeLines(guest.token, 'audience device-picker="false"'))
  await expect.poll(() => told(page, 'joined'), { timeout: 20_000 }).toMatchObject([{ role: 'audience' }])
  expect(await command(page, 'unmuteAudio')).toMatchObject({ code: 'not-permitted' })
  expect(
    await frameOf(page)
      .getByRole('button', { name: /microphone|Devices/ })
      .count(),
  ).toBe(0)
})

test('it ends for everybody at once, and has no chat where the page wants none', async () => {
  const grace = await visitor()
  await grace.goto(guest.url)
  await grace.getByLabel('Your name').fill('Grace')
  await button(grace, 'Join now').click()
  await button(grace, 'Leave the room').waitFor()
  const page = await site(SHOP, threeLines(moderator.token, 'device-picker="false"'))
  await expect.poll(() => told(page, 'joined'), { timeout: 20_000 }).toHaveLength(1)
  const chat = frameOf(page).getByRole('button', { name: /chat/i })
  await chat.first().click()
  await frameOf(page).getByRole('complementary').or(frameOf(page).getByRole('dialog')).first().waitFor()
  await page.evaluate(() => document.querySelector('parley-conference')?.setAttribute('chat', 'false'))
  await expect.poll(() => chat.count()).toBe(0)
  await expect.poll(() => frameOf(page).getByRole('textbox').count()).toBe(0)

  expect(await command(page, 'end')).toEqual({})
  await expect.poll(() => told(page, 'left')).toEqual([{ reason: 'room-ended' }])
  await grace.getByRole('heading', { name: /ended|over/i }).waitFor()
})

test('a page for the hosted service needs only another address: its element, its call and its callback', async () => {
  const { baseUrl } = deployment.access
  const { body } = await deployment.rest.send<{ token: string }>('POST', '/room_tokens', {
    room_name: deployment.roomName(),
    user_name: 'Lin',
    auto_create_room: true,
  })
  const script = `<script>
    const here = document.currentScript, kit = document.createElement('script')
    window.SignalWire = { AppKit: { VideoConference: () => {} }, WebRTC: 'theirs' }
    kit.type = 'module'
    kit.src = '${baseUrl}/embed.js'
    kit.onload = () => SignalWire.AppKit.VideoConference({
      rootElement: here, token: '${body.token}', devicePicker: false, memberList: false, video: false,
      setupRoomSession: (session) => session.on('room.joined', ({ room_session }) => (window.room = room_session.name)),
    })
    document.head.append(kit)
  </script>`
  const page = await site(SHOP, script)
  await expect.poll(() => page.evaluate('window.room'), { timeout: 20_000 }).toMatch(/^embed-/)
  expect(await page.evaluate('SignalWire.WebRTC')).toBe('theirs')
  const frame = frameOf(page)
  await frame.getByRole('button', { name: 'Leave the room' }).waitFor()
  expect(await frame.getByRole('button', { name: 'Show people' }).count()).toBe(0)
  expect(await command(page, 'unmuteVideo')).toMatchObject({ code: 'no-device' })
})

describe('it is shown nowhere else:', () => {
  test('a site that no project lists shows why, and names the command', async () => {
    const page = await site('https://other.example', threeLines(guest.token))
    await expect
      .poll(() => told(page, 'error'), { timeout: 15_000 })
      .toMatchObject([{ code: 'origin-not-allowed' }])
    const [problem] = await told(page, 'error')
    expect(problem?.message).toContain(
      'npx parley projects embed-origins <project-id> --add https://other.example',
    )
    await page.getByRole('alert').filter({ hasText: 'https://other.example' }).waitFor()
  })

  test('a site that takes the address of one that is listed is not heard', async () => {
    const page = await site(
      'https://other.example',
      `<iframe title="Conference" src="HOST/embed?parent=${encodeURIComponent(SHOP)}"></iframe>`,
      `<script>onmessage = ({ data }) => (window.heard = data)</script>`,
    )
    await page.frameLocator('iframe').locator('body.neterror').waitFor({ state: 'attached' })
    expect(page.frames().some((frame) => frame.url().startsWith('chrome-error:'))).toBe(true)
    expect(await page.evaluate('window.heard')).toBeUndefined()
  })

  test('a sandboxed page without an origin', async () => {
    const inner = threeLines(guest.token)
      .replaceAll('HOST', deployment.access.baseUrl)
      .replaceAll('"', '&quot;')
    const page = await site(SHOP, `<iframe sandbox="allow-scripts" srcdoc="${inner}"></iframe>`)
    await page.frameLocator('iframe').getByRole('alert').filter({ hasText: 'without an origin' }).waitFor()
  })

  test('any other page of the server', async () => {
    const page = await site(SHOP, `<iframe src="${guest.url}"></iframe>`)
    await page.frameLocator('iframe').locator('body.neterror').waitFor({ state: 'attached' })
    expect(page.frames().some((frame) => frame.url().startsWith('chrome-error:'))).toBe(true)
  })
})

test('a token that is not valid any more is told inside and outside', async () => {
  const page = await site(SHOP, threeLines(`vpt_${'0'.repeat(48)}`))
  await frameOf(page).getByText('This link is not valid any more').waitFor()
  await expect.poll(() => told(page, 'error')).toMatchObject([{ code: 'token-invalid' }])
  await page.evaluate(() => document.querySelector('parley-conference')?.setAttribute('token', ''))
  await expect
    .poll(() => told(page, 'error'))
    .toMatchObject([{ code: 'token-invalid' }, { code: 'token-missing' }])
})

test('the picture plays in the frame, and a click outside lets it share the screen', async () => {
  const page = await site(SHOP, threeLines(guest.token, 'device-picker="false"'), '', shareWithoutPicker)
  await expect.poll(() => told(page, 'joined'), { timeout: 20_000 }).toHaveLength(1)
  const frame = page.frames().find((one) => one.url().includes('/embed?'))
  expect(frame).toBeDefined()
  await picturePlays(frame as unknown as Page)
  const box = await page.locator('parley-conference').boundingBox()
  expect(box).toMatchObject({ width: 1280 })

  // The frame itself was never clicked.
  await page.evaluate(() => {
    const share = document.createElement('button')
    share.textContent = 'Share from outside'
    share.onclick = () =>
      (document.querySelector('parley-conference') as unknown as { startShare(): Promise<void> })
        .startShare()
        .then(() => share.setAttribute('data-done', 'shared'))
        .catch((error: Error) => share.setAttribute('data-done', String(error)))
    document.body.prepend(share)
  })
  await button(page, 'Share from outside').click()
  // A share is a call of its own, which takes more than the usual second beside other browsers.
  await expect
    .poll(() => button(page, 'Share from outside').getAttribute('data-done'), { timeout: 15_000 })
    .toBe('shared')
  expect(await command(page, 'stopShare')).toEqual({})
})

test('the packages to publish install from their tarballs, type-check, and work', async () => {
  const project = await installPacked()
  const { baseUrl, projectId, apiToken } = deployment.access
  const program = (key: string) => `import { createApiClient, type Resources } from '@parley/api-client'
const api = createApiClient({ baseUrl: '${baseUrl}', credentials: { projectId: '${projectId}', apiToken: '${apiToken}' } })
const { data, error } = await api.GET('/api/video/${key}', { params: { query: { page_size: 1 } } })
if (error) throw new Error(error.errors[0]?.code)
const first: Resources['Conference'] | undefined = data.data[0]
console.log(first?.display_name)
`
  const page = `import { EmbedError, type LeftReason, ParleyConference } from '@parley/embed'
const element: ParleyConference = document.createElement('parley-conference')
element.server = '${baseUrl}'
element.token = '${guest.token}'
element.userName = 'Ada'
element.devicePicker = false
let reason: LeftReason | undefined
element.addEventListener('left', ({ detail }) => { reason = detail.reason })
element.addEventListener('joined', async ({ detail }) => {
  const refused = await element.removeMember('nobody').catch((error: unknown) => error)
  document.title = detail.role + ' ' + (refused instanceof EmbedError ? refused.code : 'done') + (reason ?? '')
})
document.body.append(element)
`
  project.write('program.ts', program('conferences'))
  project.write('page.ts', page)
  await project.checkTypes()
  project.write('program.ts', program('no-such-things'))
  await expect(project.checkTypes()).rejects.toThrow()
  project.write('program.ts', program('conferences'))

  const caFile = path.join(project.folder, 'ca.pem')
  writeFileSync(caFile, deployment.access.ca ?? '')
  const environment = `NODE_EXTRA_CA_CERTS=${caFile}`
  const out = await run('env', [environment, process.execPath, path.join(project.folder, 'program.ts')])
  expect(out.toString().trim()).toBe('Town hall')
  // A server that renders pages imports the other one too.
  await run(process.execPath, [
    '--input-type=module',
    '-e',
    `import '${project.folder}/node_modules/@parley/embed/dist/index.js'`,
  ])

  const opened = await visitor()
  const packed = `${project.folder}/node_modules/@parley/embed/dist`
  await opened.route(`${SHOP}/**`, (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname.startsWith('/embed/')) return route.fulfill({ path: path.join(packed, pathname.slice(7)) })
    const body = stripTypeScriptTypes(page)
    const map = JSON.stringify({ imports: { '@parley/embed': '/embed/index.js' } })
    return route.fulfill({
      contentType: 'text/html',
      body: `<!doctype html><script type="importmap">${map}</script><body><script type="module">${body}</script>`,
    })
  })
  await opened.goto(`${SHOP}/`)
  await expect.poll(() => opened.title(), { timeout: 20_000 }).toBe('member not-permitted')
})
