import { t } from '../languages/texts.ts'
import { BlurProblem } from './blur/blur-problem.ts'
import { blurred } from './blur/blurred.ts'
import { chooseEffects, effectChoices } from './effect-choices.ts'
import { tellEffectNews } from './effect-news.ts'
import { withoutNoise } from './noise/without-noise.ts'

/**
 * Applies the chosen effects. An effect that does not start is told, and turned off.
 * @param stream of devices. The tracks of the answer own its tracks, and stop them
 */
export async function withEffects(stream: MediaStream): Promise<MediaStream> {
  const tracks = stream
    .getTracks()
    .map((track) => (track.kind === 'video' ? pictureOf(track) : soundOf(track)))
  return new MediaStream(await Promise.all(tracks))
}

async function pictureOf(track: MediaStreamTrack): Promise<MediaStreamTrack> {
  if (!effectChoices().blur) return track
  try {
    return await blurred(track, blurOff)
  } catch (error) {
    blurOff(error instanceof BlurProblem ? error : new BlurProblem('failed'))
    return track
  }
}

function blurOff({ kind }: BlurProblem): void {
  chooseEffects({ blur: false })
  tellEffectNews(t('effects.blur-off'), t(`effects.blur-${kind}`))
}

async function soundOf(track: MediaStreamTrack): Promise<MediaStreamTrack> {
  if (effectChoices().noise !== 'strong') return track
  try {
    return await withoutNoise(track)
  } catch {
    chooseEffects({ noise: 'browser' })
    tellEffectNews(t('effects.strong-off'), t('effects.strong-failed'))
    return track
  }
}
