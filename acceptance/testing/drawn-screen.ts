import type { Page } from 'playwright-core'

/**
 * Lets the page share a drawn screen of 1920x1080, violet, in place of a real one. Call it before the page loads. The page
 * then has what it asked for in `window.asked`, and the track in `window.track`.
 */
export async function drawnScreen(page: Page): Promise<void> {
  await page.addInitScript(drawScreens)
}

/** Runs in the page: see {@link drawnScreen}. */
export function drawScreens(): void {
  navigator.mediaDevices.getDisplayMedia = async (options) => {
    const canvas = document.createElement('canvas')
    canvas.width = 1920
    canvas.height = 1080
    const context = canvas.getContext('2d')
    const draw = () => {
      if (!context) return
      context.fillStyle = 'rgb(190, 60, 200)'
      context.fillRect(0, 0, canvas.width, canvas.height)
      context.fillStyle = 'white'
      context.font = '48px sans-serif'
      for (let line = 1; line < 18; line++)
        context.fillText(`Line ${line} of a page that somebody shares`, 420, 60 * line)
    }
    draw()
    setInterval(draw, 200)
    const stream = canvas.captureStream(5)
    Object.assign(window, { asked: options, track: stream.getVideoTracks()[0] })
    return stream
  }
}
