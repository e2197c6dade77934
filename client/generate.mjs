import openapiTypescript, { astToString } from 'openapi-typescript'

/**
 * Generates the types of the client from the API document.
 * @param {object} document OpenAPI 3.1
 * @returns {Promise<string>} TypeScript
 */
export async function clientTypes(document) {
  const types = await openapiTypescript(/** @type {never} */ (structuredClone(document)), {
    // A field with a default may be left out of a request.
    defaultNonNullable: false,
  })
  return `// Made from docs/openapi.json by "npm run docs".\n\n${astToString(types)}`
}
