/** Requests a picture that suits a tile of a 16:9 room. The server requests less later if less is enough. */
export function cameraConstraints(deviceId: string | null): MediaTrackConstraints {
  return {
    ...(deviceId ? { deviceId: { exact: deviceId } } : { facingMode: 'user' }),
    width: { ideal: 1280 },
    height: { ideal: 720 },
    frameRate: { ideal: 30, max: 30 },
  }
}

/**
 * Without an id, any microphone. The browser's processing against echo is on. That against noise is one of the effects,
 * which are added to every request (`openDevicesWithEffects`).
 */
export function microphoneConstraints(deviceId: string | null): MediaTrackConstraints {
  return {
    ...(deviceId ? { deviceId: { exact: deviceId } } : {}),
    echoCancellation: true,
    autoGainControl: true,
  }
}
