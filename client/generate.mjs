import openapiTypescript, { astToString } from 'openapi-typescript'

/**
 * The types of the client, from the API document.
 * @param {object} document OpenAPI 3.1
 * @returns {Promise<string>} TypeScript
 */
export async function clientTypes(document) {
  const types = await openapiTypescript(/** @type {never} */ (structuredClone(document)))
  return `// Made from docs/openapi.json by "npm run docs".\n\n${astToString(types)}`
}
