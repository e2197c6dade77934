/** The tracks of devices, by the live tracks that are made of them. */
const sources = new Map<MediaStreamTrack, MediaStreamTrack>()

/** The device's own track, if this one is made of it. */
export const sourceOf = (track: MediaStreamTrack): MediaStreamTrack | undefined => sources.get(track)

/**
 * Gives a track that is made of a device's track the manners of that: it has the name, the settings and the constraints
 * of the device, releases the device when it is stopped, and ends with it.
 * @param release ends the processing
 * @returns the made track
 */
export function asDevice(
  made: MediaStreamTrack,
  source: MediaStreamTrack,
  release: () => void,
): MediaStreamTrack {
  const stop = made.stop.bind(made)
  const settings = made.getSettings.bind(made)
  const end = () => {
    if (!sources.delete(made)) return
    source.removeEventListener('ended', gone)
    stop()
    source.stop()
    release()
  }
  const gone = () => {
    end()
    made.dispatchEvent(new Event('ended'))
  }
  sources.set(made, source)
  source.addEventListener('ended', gone)
  Object.defineProperty(made, 'label', { value: source.label })
  made.stop = end
  made.getSettings = () => {
    const { deviceId, groupId } = source.getSettings()
    return {
      ...settings(),
      ...(deviceId !== undefined && { deviceId }),
      ...(groupId !== undefined && { groupId }),
    }
  }
  made.getConstraints = () => source.getConstraints()
  made.applyConstraints = (constraints) => source.applyConstraints(constraints)
  return made
}
