/**
 * The screen that a participant shares: 4:3, with a frame along its edges. If the server crops the picture, a part of
 * the frame is missing.
 */

/** Pixels. */
export const SCREEN_WIDTH = 480
export const SCREEN_HEIGHT = 360
/** The frame's thickness, pixels. */
const SCREEN_FRAME = 40
/** The colours of two personas. */
export const SCREEN_FRAME_COLOUR = [215, 200, 50] as const
export const SCREEN_COLOUR = [190, 60, 200] as const

const css = (colour: readonly number[]) => `rgb(${colour.join(', ')})`

/** Paints the screen. Nothing on it moves. */
export function drawScreen(context: CanvasRenderingContext2D): void {
  context.fillStyle = css(SCREEN_FRAME_COLOUR)
  context.fillRect(0, 0, SCREEN_WIDTH, SCREEN_HEIGHT)
  context.fillStyle = css(SCREEN_COLOUR)
  context.fillRect(
    SCREEN_FRAME,
    SCREEN_FRAME,
    SCREEN_WIDTH - 2 * SCREEN_FRAME,
    SCREEN_HEIGHT - 2 * SCREEN_FRAME,
  )
}
