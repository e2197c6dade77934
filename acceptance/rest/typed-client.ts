import { createApiClient } from '@parley/api-client'
import { Agent, fetch } from 'undici'
import { expect, test } from 'vitest'
import { freshName } from './project.ts'
import type { Suite } from './suite.ts'

/** Tests that the client generated from the API document behaves as its types say. */
export function typedClient({ deployment }: Suite): void {
  test('the typed client creates, finds, changes and deletes', async () => {
    const { baseUrl, projectId, apiToken, ca } = deployment.access
    const dispatcher = new Agent({ connect: ca === undefined ? {} : { ca } })
    const client = createApiClient({
      baseUrl,
      credentials: { projectId, apiToken },
      fetch: async ({ url, method, headers, body }) => {
        const sent = body === null ? null : await new Response(body).text()
        const init = { method, headers: [...headers], body: sent, dispatcher }
        return (await fetch(url, init)) as unknown as Response
      },
    })
    const name = freshName()
    const created = await client.POST('/api/video/rooms', { body: { name, max_members: 7 } })
    const id = created.data?.id ?? ''
    expect(created.data).toMatchObject({ name, max_members: 7, quality: '720p' })

    const listed = await client.GET('/api/video/rooms', { params: { query: { page_size: 1 } } })
    expect(listed.data?.data[0]?.id).toBe(id)
    const params = { path: { id } }
    const changed = await client.PUT('/api/video/rooms/{id}', { params, body: { quality: '1080p' } })
    expect(changed.data?.quality).toBe('1080p')
    const refused = await client.POST('/api/video/rooms', { body: { name } })
    expect(refused.error?.errors[0]?.code).toBe('not_unique_within_project')
    expect((await client.DELETE('/api/video/rooms/{id}', { params })).response.status).toBe(204)
    const gone = await client.GET('/api/video/rooms/{id}', { params })
    expect(gone.error?.errors[0]?.code).toBe('provided_id_is_unrecognized')
    await dispatcher.close()
  })
}
