/**
 * Answers what the parent process asks by a `Helper`.
 * @param handle what it throws is told to whoever asked
 */
export function answerRequests<Request>(handle: (request: Request) => Promise<unknown>): void {
  process.on('message', (message) => {
    const { id, request } = message as { id: number; request: Request }
    handle(request).then(
      (result) => process.send?.({ id, result: result ?? null }),
      (error: Error) => process.send?.({ id, error: error.message }),
    )
  })
}
