import { useId, useState, useSyncExternalStore } from 'react'
import { t } from '../languages/texts.ts'
import { Select } from '../ui/select.tsx'
import { Switch } from '../ui/switch.tsx'
import { canBlur } from './blur/blur-support.ts'
import { chooseEffects, effectChoices, NOISE_SUPPRESSIONS, onEffectChoices } from './effect-choices.ts'

const useEffectChoices = () => useSyncExternalStore(onEffectChoices, effectChoices)

/** Turns the blur of the own background on and off, or says why this browser has none. */
export function BlurSwitch() {
  const { blur } = useEffectChoices()
  const [isPossible] = useState(canBlur)
  if (!isPossible) return <p className="text-sm text-ink-soft">{t('effects.blur-impossible')}</p>
  return (
    <Switch
      label={t('effects.blur')}
      hint={t('effects.blur-hint')}
      checked={blur}
      onChange={(on) => chooseEffects({ blur: on })}
    />
  )
}

/** Chooses who leaves out noise of the own microphone. */
export function NoiseSelect() {
  const { noise } = useEffectChoices()
  const id = useId()
  return (
    <fieldset aria-describedby={id} className="min-w-0">
      <Select
        label={t('effects.noise')}
        value={noise}
        options={NOISE_SUPPRESSIONS.map((value) => ({ value, label: t(`effects.noise-${value}`) }))}
        onChange={(value) => {
          const chosen = NOISE_SUPPRESSIONS.find((one) => one === value)
          if (chosen) chooseEffects({ noise: chosen })
        }}
      />
      <p id={id} className="mt-1.5 text-sm text-ink-soft">
        {t('effects.noise-hint')}
      </p>
    </fieldset>
  )
}
