import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { FamilyOptions } from '../conventions/family.ts'
import { publicHosts } from '../conventions/public-origin.ts'
import { apiConsoleRoutes } from '../document/console.ts'
import { errorPageRoute } from './error-page.ts'
import { hlsFileRoutes } from './hls-files.ts'
import { nodeRecordingRoutes } from './node-recordings.ts'
import { openIdRoutes } from './openid-routes.ts'
import { pageFactRoutes } from './page-facts.ts'
import { posterFileRoutes } from './poster-files.ts'
import { previewFileRoutes } from './preview-files.ts'
import { recordingFileRoutes } from './recording-files.ts'
import { sharedRecordingRoutes } from './shared-recordings.ts'
import { webPageRoutes } from './web-page.ts'

export interface FilesOptions extends Omit<FamilyOptions, 'pagingKey'> {
  /** Absolute path of the folder of the built pages. */
  webFolder: string
}

/** Everything outside of the API: media behind signed links, the API document, and the pages for people. */
export const filesFamily: FastifyPluginAsync<FilesOptions> = async (app, options) => {
  const { services, limits, publicUrl, webFolder } = options
  const hostsOf = (request: FastifyRequest) => publicHosts(publicUrl, request)
  errorPageRoute(app)
  await app.register((files) => recordingFileRoutes(files, services))
  const { recordingsElsewhere: elsewhere } = services
  if (elsewhere) await app.register((files) => nodeRecordingRoutes(files, { ...services, elsewhere, limits }))
  await app.register((files) => sharedRecordingRoutes(files, { services, limits }))
  await app.register((files) => posterFileRoutes(files, services))
  await app.register((files) => previewFileRoutes(files, services))
  await app.register((files) => hlsFileRoutes(files, services))
  await app.register(apiConsoleRoutes)
  await app.register((files) => pageFactRoutes(files, { services, limits, publicUrl, hostsOf }))
  openIdRoutes(app, { services, limits, publicUrl })
  await app.register((files) =>
    webPageRoutes(files, {
      folder: webFolder,
      hostsOf,
      mediaOrigin: services.storedMedia?.origin ?? null,
      embedOrigins: services.embedOrigins,
      elsewhere: services.assetsElsewhere,
      limits,
    }),
  )
}
