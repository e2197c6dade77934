import { type ChildProcess, fork } from 'node:child_process'

/** A child process that answers requests one by one over IPC. */
export class Helper {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>()
  #nextId = 0

  /**
   * @param program a TypeScript file
   * @param env variables that differ from this process's environment
   * @param options of Node
   */
  constructor(program: string, env: Record<string, string> = {}, options: readonly string[] = []) {
    this.#child = fork(program, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, ...env },
      execArgv: [...process.execArgv, ...options],
    })
    this.#child.on('message', (message) => {
      const { id, result, error } = message as { id: number; result?: unknown; error?: string }
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (error === undefined) waiting?.resolve(result)
      else waiting?.reject(new Error(error))
    })
    this.#child.once('exit', (code, signal) => {
      for (const { reject } of this.#waiting.values())
        reject(new Error(`${program} ended: ${code ?? signal}`))
    })
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** @throws if the child answers with an error, or exits */
  ask(request: unknown): Promise<unknown> {
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#child.send({ id, request }, (error) => {
        if (error) reject(error)
      })
    })
  }

  close(): void {
    this.#child.kill('SIGKILL')
  }
}
