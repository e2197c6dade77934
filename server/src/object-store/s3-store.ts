import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { Config } from '../config.ts'
import { NoSuchObject, type ObjectStore, type PutFileOptions, type StoredObject } from './object-store.ts'
import { putParts } from './put-parts.ts'

/** Options of an S3 store. */
export type S3Options = Pick<
  Config,
  | 's3Endpoint'
  | 's3Region'
  | 's3Prefix'
  | 's3AccessKey'
  | 's3SecretKey'
  | 's3PathStyle'
  | 's3Ca'
  | 's3PublicEndpoint'
> & { s3Bucket: string }

const CONNECT_MS = 5000
/** A small request, with its answer. */
const ANSWER_MS = 15_000
/** 8 MB in that time is 1 Mbit/s. */
const PART_MS = 64_000
/** A viewer who pauses takes nothing from the connection. */
const IDLE_READING_MS = 5 * 60_000
const MOST_WRITING = 32
const MOST_READING = 512

/** A store with the interface of Amazon S3. */
export class S3Store implements ObjectStore {
  readonly place: string
  #linkOrigin: string | null = null
  readonly #options: S3Options
  readonly #writing: S3Client
  /** Of its own, so that viewers who are slow keep nothing from being stored. */
  readonly #reading: S3Client
  /** Signs links, and sends nothing. The host is part of what is signed. */
  readonly #outside: S3Client | null

  static async open(options: S3Options): Promise<S3Store> {
    const store = new S3Store(options)
    // Whether the bucket is part of the host is decided by the client, so it is asked.
    const example = await store.link('example', 1, 'inline')
    if (example !== null) store.#linkOrigin = new URL(example).origin
    return store
  }

  private constructor(options: S3Options) {
    this.#options = options
    const { s3Endpoint, s3Region, s3Bucket, s3Prefix } = options
    this.place = `${s3Endpoint ?? `Amazon S3 in ${s3Region}`}, bucket ${s3Bucket}${s3Prefix && `, ${s3Prefix}`}`
    this.#writing = client(options, { sockets: MOST_WRITING, idleMs: PART_MS })
    this.#reading = client(options, { sockets: MOST_READING, idleMs: IDLE_READING_MS })
    this.#outside =
      options.s3PublicEndpoint === null
        ? null
        : client({ ...options, s3Endpoint: options.s3PublicEndpoint }, { sockets: 1, idleMs: CONNECT_MS })
  }

  get linkOrigin(): string | null {
    return this.#linkOrigin
  }

  async put(key: string, content: Uint8Array, type: string): Promise<void> {
    await this.#writing.send(
      new PutObjectCommand({ ...this.#at(key), ContentType: type, ...body(content) }),
      within(PART_MS),
    )
  }

  async putFile(
    key: string,
    file: string,
    type: string,
    { onSent, signal }: PutFileOptions = {},
  ): Promise<{ size: number; sha256: string }> {
    let uploadId: string | undefined
    const parts: { PartNumber: number; ETag: string | undefined }[] = []
    let sent = 0
    try {
      const result = await putParts(file, async (part, number, isOnly) => {
        signal?.throwIfAborted()
        if (isOnly) await this.put(key, part, type)
        else {
          uploadId ??= await this.#begin(key, type)
          const command = { ...this.#at(key), UploadId: uploadId, PartNumber: number, ...body(part) }
          const { ETag } = await this.#writing.send(new UploadPartCommand(command), within(PART_MS, signal))
          parts.push({ PartNumber: number, ETag })
        }
        sent += part.length
        onSent?.(sent)
      })
      if (uploadId !== undefined) {
        const command = { ...this.#at(key), UploadId: uploadId, MultipartUpload: { Parts: parts } }
        // A store may copy the parts before it answers.
        await this.#writing.send(new CompleteMultipartUploadCommand(command), within(10 * PART_MS))
      }
      return result
    } catch (error) {
      if (uploadId !== undefined) await this.#abort(this.#at(key).Key, uploadId).catch(() => {})
      throw error
    }
  }

  async get(key: string, range?: { first: number; last: number }, signal?: AbortSignal): Promise<Readable> {
    const input = { ...this.#at(key), ...(range && { Range: `bytes=${range.first}-${range.last}` }) }
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new Error('the store did not answer in time')), ANSWER_MS)
    try {
      const abortSignal = signal ? AbortSignal.any([signal, late.signal]) : late.signal
      const { Body } = await this.#reading.send(new GetObjectCommand(input), { abortSignal })
      if (!(Body instanceof Readable)) throw new Error('the store sent no content')
      return Body
    } catch (error) {
      throw isAbsent(error) ? new NoSuchObject(key, { cause: error }) : error
    } finally {
      clearTimeout(timer)
    }
  }

  async size(key: string): Promise<number | null> {
    try {
      return (
        (await this.#writing.send(new HeadObjectCommand(this.#at(key)), within(ANSWER_MS))).ContentLength ?? 0
      )
    } catch (error) {
      if (isAbsent(error)) return null
      throw error
    }
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    const { s3Bucket: Bucket, s3Prefix } = this.#options
    let after: string | undefined
    do {
      const input = { Bucket, Prefix: s3Prefix + prefix, ...(after && { ContinuationToken: after }) }
      const page = await this.#writing.send(new ListObjectsV2Command(input), within(ANSWER_MS))
      for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
        yield {
          key: Key.slice(s3Prefix.length),
          size: Size,
          changedAt: LastModified?.getTime() ?? Date.now(),
        }
      }
      after = page.IsTruncated ? page.NextContinuationToken : undefined
    } while (after !== undefined)
  }

  async remove(key: string): Promise<void> {
    await this.#writing.send(new DeleteObjectCommand(this.#at(key)), within(ANSWER_MS))
  }

  async link(key: string, seconds: number, disposition: string): Promise<string | null> {
    if (!this.#outside) return null
    const command = new GetObjectCommand({
      ...this.#at(key),
      ResponseContentDisposition: disposition,
      ResponseCacheControl: 'private, max-age=0',
    })
    return getSignedUrl(this.#outside, command, { expiresIn: seconds })
  }

  async dropUnfinished(before: number): Promise<void> {
    try {
      await this.#dropUnfinished(before)
    } catch (error) {
      // Some stores list no uploads in parts, and forget them by themselves.
      if ((error as Error).name !== 'NotImplemented') throw error
    }
  }

  async #dropUnfinished(before: number): Promise<void> {
    const { s3Bucket: Bucket, s3Prefix: Prefix } = this.#options
    let after: { KeyMarker?: string; UploadIdMarker?: string } | null = {}
    while (after) {
      const input = { Bucket, Prefix, ...after }
      const page: ListMultipartUploadsCommandOutput = await this.#writing.send(
        new ListMultipartUploadsCommand(input),
        within(ANSWER_MS),
      )
      for (const { Key = '', UploadId = '', Initiated } of page.Uploads ?? []) {
        if (Initiated && Initiated.getTime() < before) await this.#abortIfThere(Key, UploadId)
      }
      after = nextUploads(page, after)
    }
  }

  async #abortIfThere(key: string, uploadId: string): Promise<void> {
    try {
      await this.#abort(key, uploadId)
    } catch (error) {
      // Whoever began it, or another node's sweep, has ended it meanwhile.
      if ((error as Error).name !== 'NoSuchUpload') throw error
    }
  }

  close(): void {
    this.#writing.destroy()
    this.#reading.destroy()
    this.#outside?.destroy()
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#options.s3Bucket, Key: this.#options.s3Prefix + key }
  }

  async #begin(key: string, type: string): Promise<string> {
    const command = new CreateMultipartUploadCommand({ ...this.#at(key), ContentType: type })
    const { UploadId } = await this.#writing.send(command, within(ANSWER_MS))
    if (UploadId === undefined) throw new Error('the store began no upload in parts')
    return UploadId
  }

  async #abort(Key: string, UploadId: string): Promise<void> {
    await this.#writing.send(
      new AbortMultipartUploadCommand({ Bucket: this.#options.s3Bucket, Key, UploadId }),
      within(ANSWER_MS),
    )
  }
}

/** Where the next page of unfinished uploads begins; null after the last one, also for a store that does not go on. */
function nextUploads(
  { IsTruncated, NextKeyMarker, NextUploadIdMarker }: ListMultipartUploadsCommandOutput,
  { KeyMarker, UploadIdMarker }: { KeyMarker?: string; UploadIdMarker?: string },
) {
  if (!IsTruncated || NextKeyMarker === undefined) return null
  if (NextKeyMarker === KeyMarker && NextUploadIdMarker === UploadIdMarker) return null
  return { KeyMarker: NextKeyMarker, ...(NextUploadIdMarker && { UploadIdMarker: NextUploadIdMarker }) }
}

/** Options of a request that is given up after a while, or by the signal. */
function within(timeoutMs: number, signal?: AbortSignal) {
  const late = AbortSignal.timeout(timeoutMs)
  return { abortSignal: signal ? AbortSignal.any([signal, late]) : late }
}

const ignore = () => {}
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore }

/** A stream is not hashed for the signature, which would hold the thread up; TLS keeps it whole. */
const body = (content: Uint8Array) => ({
  Body: Readable.from(slices(content), { objectMode: false }),
  ContentLength: content.byteLength,
})

function* slices(content: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < content.byteLength; at += 65_536) yield content.subarray(at, at + 65_536)
}

function client(options: S3Options, { sockets, idleMs }: { sockets: number; idleMs: number }): S3Client {
  const { s3Endpoint, s3Region, s3AccessKey, s3SecretKey, s3PathStyle, s3Ca } = options
  const agent = { keepAlive: true, maxSockets: sockets }
  return new S3Client({
    region: s3Region,
    ...(s3Endpoint !== null && { endpoint: s3Endpoint }),
    forcePathStyle: s3PathStyle ?? s3Endpoint !== null,
    credentials: { accessKeyId: s3AccessKey ?? '', secretAccessKey: s3SecretKey ?? '' },
    // Many stores know none of the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // It would write to the console. Whoever asks the store says what went wrong.
    logger: SILENT,
    // A stream cannot be sent twice. Whoever sends tries again, after a while.
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: idleMs,
      httpAgent: new HttpAgent(agent),
      httpsAgent: new HttpsAgent({ ...agent, ...(s3Ca !== null && { ca: s3Ca }) }),
    },
  })
}

function isAbsent(error: unknown): boolean {
  const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } }
  return name === 'NoSuchKey' || name === 'NotFound' || $metadata?.httpStatusCode === 404
}
