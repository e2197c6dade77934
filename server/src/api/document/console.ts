import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { compressionOf } from '../conventions/compression.ts'
import { isObject, type JsonObject } from './json.ts'

/** Path of the console. The document is below it. */
const CONSOLE_PATH = '/docs'

/** Permits nothing from other hosts: the console works on a machine without internet. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Hides the parts of Swagger UI that choose a document and show its own name, because there is only one document. */
const STYLE = `
.swagger-ui .topbar { display: none; }
.swagger-ui .info { margin: 2rem 0 1rem; }
.swagger-ui .info p { max-width: 46rem; margin: 1em 0; line-height: 1.5; }
.swagger-ui .info .link { display: none; }
`

/** Serves the API document as a page for trying requests at `/docs`, and as JSON at `/docs/openapi.json`. */
export async function apiConsoleRoutes(app: FastifyInstance): Promise<void> {
  app.get(
    `${CONSOLE_PATH}/openapi.json`,
    { compress: compressionOf('GET', false) },
    async (_request, reply) =>
      reply
        .header('cache-control', 'no-cache')
        // The document is public, and other consoles may want to read it.
        .header('access-control-allow-origin', '*')
        .send(app.swagger()),
  )
  await app.register(swaggerUi, {
    routePrefix: CONSOLE_PATH,
    staticCSP: CONTENT_SECURITY_POLICY,
    uiConfig: {
      docExpansion: 'list',
      deepLinking: true,
      displayRequestDuration: true,
      filter: true,
      tryItOutEnabled: true,
      persistAuthorization: false,
      defaultModelsExpandDepth: 0,
      validatorUrl: null,
    },
    theme: { title: 'Parley REST API', css: [{ filename: 'parley.css', content: STYLE }] },
    transformSpecification: (document) => forTrying(document as JsonObject),
  })
}

/**
 * The console prefills every parameter with its example. An optional parameter, such as a filter, is better left out of
 * a trial request, so its example moves to its description.
 * @param document changed in place
 */
function forTrying(document: JsonObject): JsonObject {
  for (const path of Object.values(document.paths as JsonObject)) {
    for (const operation of Object.values(path as JsonObject)) {
      const { parameters } = operation as JsonObject
      for (const parameter of Array.isArray(parameters) ? parameters : []) {
        if (isObject(parameter) && parameter.required !== true) tellExample(parameter)
      }
    }
  }
  return document
}

function tellExample(parameter: JsonObject): void {
  const schema = parameter.schema as JsonObject
  const several = isObject(parameter.examples) ? Object.keys(parameter.examples) : []
  const examples = [parameter.example, ...several, ...(Array.isArray(schema.examples) ? schema.examples : [])]
  delete parameter.example
  delete parameter.examples
  delete schema.examples
  const shown = examples.filter((example) => example !== undefined).map((example) => `\`${example}\``)
  if (shown.length > 0 && schema.default === undefined) {
    parameter.description = `${parameter.description} Such as ${shown.join(' or ')}.`
  }
}
