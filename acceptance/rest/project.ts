import { type Operation, operation, operations, resolve, type Schema } from './api-document.ts'
import type { Call, Caller } from './caller.ts'

let count = 0
/** A name that no other room or conference has. */
export const freshName = () => `rest-${process.pid.toString(36)}-${Date.now().toString(36)}-${++count}`

/** An id that does not exist. */
export const NOBODY = '00000000-0000-4000-8000-000000000000'

/** Whether a parameter in a path names the project itself. */
export const isProject = (parameter: string): boolean => /project|account/i.test(parameter)

/** A request with a value for every parameter in the path. */
export interface GoodCall extends Call {
  path: Record<string, string>
}

const SUBSCRIBER = { reference: 'ada@example.org' }

/** A project, and valid requests to each operation on its resources. */
export class Project {
  readonly #caller: Caller
  readonly authorization: string
  readonly projectId: string
  /** Token of a subscriber of the project. */
  userToken = ''
  /** Token of a conference of the project. */
  conferenceToken = ''
  /** A webhook that got events, and is not enabled any more, so that nothing changes what waits for it. */
  webhookId = ''
  /** Lets somebody enter a room and stay there. Null where nobody can: then there are no live rooms. */
  enterRoom: (() => Promise<unknown>) | null = null

  constructor(caller: Caller, projectId: string, authorization: string) {
    this.#caller = caller
    this.projectId = projectId
    this.authorization = authorization
  }

  /** Creates the subscriber and the conference whose tokens the operations for users need, and a webhook for events. */
  async signIn(): Promise<void> {
    this.webhookId = await this.makeWebhook()
    const made = await this.call(operation('createSubscriberToken'), { body: SUBSCRIBER })
    this.userToken = `Bearer ${made.token}`
    const { id } = await this.call(operation('createConference'), { body: { display_name: 'Invitation' } })
    const tokens = await this.call(operation('listConferenceTokens'), { path: { id } })
    this.conferenceToken = `Bearer ${tokens.data[0].token}`
  }

  /** Returns the refresh token of a new sign-in. If a refresh token is used twice, its whole sign-in becomes void. */
  async freshRefreshToken(): Promise<string> {
    return (await this.call(operation('createSubscriberToken'), { body: SUBSCRIBER })).refresh_token
  }

  /** Sends a request that must succeed, and returns the body of the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: the document has checked its shape
  async call(operation: Operation, call: Omit<Call, 'authorization'> = {}): Promise<any> {
    const authorization = this.authorizationFor(operation)
    const answer = await this.#caller.call(operation, { authorization, ...call })
    if (answer.status !== operation.success) {
      throw new Error(`${operation.id} -> ${answer.status} ${answer.text}`)
    }
    return answer.json
  }

  /** The credentials that an operation accepts. */
  authorizationFor({ takesBasic, takesInvitation }: Operation): string {
    if (takesInvitation) return this.conferenceToken
    return takesBasic ? this.authorization : this.userToken
  }

  /** A request that succeeds. It uses resources that were created for it. */
  async goodCall(target: Operation): Promise<GoodCall> {
    const path: Record<string, string> = target.path.includes('/deliveries/') ? { id: this.webhookId } : {}
    for (const { name } of target.pathParameters) {
      if (name in path) continue
      const [collection = ''] = target.path.split(`/{${name}}`)
      path[name] = isProject(name) ? this.projectId : await this.someId(collection, path)
    }
    return {
      authorization: this.authorizationFor(target),
      path,
      ...(target.body && { body: await this.goodBody(target) }),
    }
  }

  /** A body in which every field has its example value. */
  async goodBody({ id, method, body }: Operation): Promise<Record<string, unknown>> {
    const fields = Object.entries(body?.properties ?? {}).filter(
      ([name]) => method !== 'PUT' || name !== 'name',
    )
    const sample = Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field)]))
    if ('name' in sample) sample.name = freshName()
    if ('room_name' in sample) sample.room_name = freshName()
    // Nobody with the example id is in the room.
    if (id === 'muteInLiveRoom') return {}
    if (id === 'createGuestToken') sample.allowed_addresses = [await this.makeRoom()]
    if (id === 'revokeRoomToken') return this.madeRoomToken()
    if (id === 'revokeSubscriberTokens') return this.madeSubscriber()
    if (id === 'refreshSubscriberToken') sample.refresh_token = await this.freshRefreshToken()
    return sample
  }

  /**
   * Returns the id of an entry of a collection. Creates a new entry if the API can; else takes the first of the list,
   * which may be empty.
   * @param within values of the parameters in the path of the collection
   */
  async someId(collection: string, within: Record<string, string> = {}): Promise<string> {
    switch (collection.split('/').at(-1)) {
      case 'rooms':
        return this.makeRoom()
      case 'conferences':
        return this.makeConference()
      case 'conference_tokens':
        return this.makeConferenceToken()
      case 'streams':
        return this.makeStream()
      case 'users':
        return this.makeUser()
      case 'api_tokens':
        return this.makeApiToken()
      case 'webhooks':
        return this.makeWebhook()
      case 'shares':
        return this.makeShare(within)
      case 'live_rooms':
        return this.someLiveRoom(collection)
      default:
        return this.firstOf(collection, within)
    }
  }

  /** Creates a subscriber whose tokens nothing else uses. */
  async madeSubscriber(): Promise<{ subscriber_id: string }> {
    const { subscriber_id } = await this.call(operation('createSubscriberToken'), {
      body: { reference: freshName() },
    })
    return { subscriber_id }
  }

  /** Creates a room token that is valid now. */
  async madeRoomToken(): Promise<{ token: string }> {
    return this.call(operation('createRoomToken'), { body: { room_name: freshName() } })
  }

  async makeRoom(settings: Record<string, unknown> = {}): Promise<string> {
    return (await this.call(operation('createRoom'), { body: { name: freshName(), ...settings } })).id
  }

  async makeConference(): Promise<string> {
    const body = { name: freshName(), display_name: 'Town hall' }
    return (await this.call(operation('createConference'), { body })).id
  }

  /** Shares a recording. Recordings need people, so there may be none. */
  async makeShare(path: Record<string, string>): Promise<string> {
    if (path.id === NOBODY) return NOBODY
    const body = { expires_in_seconds: 3600 }
    return (await this.call(operation('createRecordingShare'), { path, body })).id
  }

  async makeConferenceToken(): Promise<string> {
    const id = await this.makeConference()
    return (await this.call(operation('listConferenceTokens'), { path: { id } })).data[0].id
  }

  async makeStream(): Promise<string> {
    const id = await this.makeRoom()
    const body = { url: 'rtmps://live.example.com/app/key' }
    return (await this.call(operation('createRoomStream'), { path: { id }, body })).id
  }

  async makeUser(): Promise<string> {
    return (await this.call(operation('createUser'), { body: { name: freshName(), role: 'viewer' } })).id
  }

  async makeApiToken(): Promise<string> {
    const body = { name: freshName(), scopes: ['fax'] }
    return (await this.call(operation('createApiToken'), { body })).id
  }

  /** Leaves what waits for the webhook as it is. */
  async disableWebhook(): Promise<void> {
    await this.call(operation('updateWebhook'), { path: { id: this.webhookId }, body: { enabled: false } })
  }

  async makeWebhook(): Promise<string> {
    const body = { url: 'https://hooks.example.com/parley' }
    return (await this.call(operation('createWebhook'), { body })).id
  }

  /**
   * Finds a room with somebody in it. Lets somebody enter where there is none: at first, and after a browser has lost its
   * connection, which one on a busy machine may.
   */
  async someLiveRoom(collection: string): Promise<string> {
    const found = await this.firstOf(collection, {})
    if (found !== NOBODY || this.enterRoom === null) return found
    await this.enterRoom()
    return this.firstOf(collection, {})
  }

  async firstOf(collection: string, within: Record<string, string>): Promise<string> {
    const list = operations.find(({ method, path }) => method === 'GET' && path === collection)
    if (!list) throw new Error(`nothing lists ${collection}`)
    const answer = await this.call(list, { path: within })
    const [first] = Object.values(answer).find(Array.isArray) ?? []
    return first?.id ?? first?.sid ?? NOBODY
  }
}

function exampleOf(schema: Schema): unknown {
  const { examples, items } = resolve(schema)
  return examples?.[0] ?? (items ? [exampleOf(items)] : undefined)
}
