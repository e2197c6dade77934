import { Type } from 'typebox'
import { isUuid } from '../../ids.ts'
import { unrecognized } from '../../rooms/changes.ts'

/** Path parameter of operations that treat an invalid UUID like an unknown one. */
export const AnyIdParams = Type.Object({
  id: Type.String({ examples: ['9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11'], description: 'Id of the resource.' }),
})

/**
 * The id in a path of {@link AnyIdParams}, in the case that storage uses.
 * @throws Refusal `provided_id_is_unrecognized` when it is not a UUID
 */
export function pathId({ id }: { id: string }): string {
  if (!isUuid(id)) throw unrecognized()
  return id.toLowerCase()
}
