import { AeadTransform } from './aead-transform.ts'
import { CounterModeTransform } from './counter-mode-transform.ts'
import type { DirectionKeys, ProfileNumber } from './session-keys.ts'
import { SrtpReceiver } from './srtp-receiver.ts'
import { SrtpSender } from './srtp-sender.ts'
import type { Transform } from './transform.ts'

/** Both directions of one connection. */
export interface SrtpSession {
  sender: SrtpSender
  receiver: SrtpReceiver
}

/** @param keys of what we send and of what we receive */
export function openSrtpSession(
  profile: ProfileNumber,
  keys: { sent: DirectionKeys; received: DirectionKeys },
): SrtpSession {
  return {
    sender: new SrtpSender(transformOf(profile, 'encrypt', keys.sent)),
    receiver: new SrtpReceiver(transformOf(profile, 'decrypt', keys.received)),
  }
}

function transformOf(
  profile: ProfileNumber,
  direction: 'encrypt' | 'decrypt',
  keys: DirectionKeys,
): Transform {
  return profile === 7 ? new AeadTransform(direction, keys) : new CounterModeTransform(direction, keys)
}
