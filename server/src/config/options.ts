import { addressOptions } from './address-options.ts'
import { certificateOptions } from './certificate-options.ts'
import { clusterOptions } from './cluster-options.ts'
import { dataOptions } from './data-options.ts'
import { mediaOptions } from './media-options.ts'
import { networkOptions } from './network-options.ts'
import { observationOptions } from './observation-options.ts'
import { priceOptions } from './price-options.ts'
import { requestOptions } from './request-options.ts'
import { roomOptions } from './room-options.ts'
import { signInOptions } from './sign-in-options.ts'
import { storeOptions } from './store-options.ts'
import { turnOptions } from './turn-options.ts'
import { webhookOptions } from './webhook-options.ts'

/**
 * Every option of the server. The key is its name in {@link Config}. The operator's reference uses this order and these
 * texts.
 */
export const options = {
  ...addressOptions,
  ...dataOptions,
  ...clusterOptions,
  ...storeOptions,
  ...certificateOptions,
  ...mediaOptions,
  ...turnOptions,
  ...roomOptions,
  ...requestOptions,
  ...signInOptions,
  ...networkOptions,
  ...observationOptions,
  ...webhookOptions,
  ...priceOptions,
}
