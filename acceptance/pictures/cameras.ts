import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { run } from '../testing/commands.ts'
import type { Portrayed } from './people.ts'

const folder = path.join(tmpdir(), 'parley-portraits')

/**
 * What a person's camera shows, as a file that Chromium takes for a camera: the person, who sways a little.
 * @param browser draws the scene
 */
export async function cameraOf({ name, scene }: Portrayed, browser: Browser): Promise<string> {
  await mkdir(folder, { recursive: true })
  const base = path.join(folder, name.replace(/\W+/g, '-').toLowerCase())
  const page = await browser.newPage({ viewport: { width: 960, height: 540 } })
  await page.setContent(`<body style="margin:0">${scene}</body>`)
  await writeFile(`${base}.png`, await page.screenshot())
  await page.close()
  const sway = `crop=912:513:x='24+10*sin(2*PI*t/3)':y='13+5*sin(2*PI*t/3)',scale=640:360,format=yuv420p`
  const still = ['-loop', '1', '-framerate', '10', '-t', '3', '-i', `${base}.png`]
  await run('ffmpeg', ['-v', 'error', '-y', ...still, '-vf', sway, `${base}.y4m`])
  return `${base}.y4m`
}
