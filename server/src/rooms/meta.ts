import { Refusal } from '../errors/refusal.ts'
import { META_LIMIT } from '../resources/building-blocks.ts'
import type { Meta } from '../storage/records.ts'

/** The meta after an update: the keys of `changes` replace those of the same name as a whole, others stay. */
export function updatedMeta(meta: Meta, changes: Meta): Meta {
  return { ...meta, ...changes }
}

/** The meta without some of its keys. Keys that it does not have are ignored. */
export function metaWithout(meta: Meta, keys: readonly string[]): Meta {
  const gone = new Set(keys)
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !gone.has(key)))
}

/**
 * Checks the same limit as that of a token's meta: characters (code points) of its JSON.
 * @throws Refusal `invalid_parameter`
 */
export function checkMetaSize(meta: Meta): void {
  const size = [...JSON.stringify(meta)].length
  if (size <= META_LIMIT) return
  throw new Refusal(
    'invalid_parameter',
    `Invalid params: meta would have ${size} characters of JSON. ${META_LIMIT} are the limit.`,
  )
}
