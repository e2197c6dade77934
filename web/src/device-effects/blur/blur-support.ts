/** Whether this browser can blur a background: it finds the person by WebAssembly, and draws by WebGL. */
export function canBlur(): boolean {
  return (
    typeof WebAssembly === 'object' &&
    typeof OffscreenCanvas === 'function' &&
    'captureStream' in HTMLCanvasElement.prototype &&
    drawsWebGL2()
  )
}

function drawsWebGL2(): boolean {
  try {
    return new OffscreenCanvas(1, 1).getContext('webgl2') !== null
  } catch {
    return false
  }
}
