/** How long a request may take to arrive on every port of the server, in milliseconds: options of `node:http`. */
export const REQUEST_TIMES = {
  /** Headers and body. */
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  /** Interval of the check for requests that take too long. */
  connectionsCheckingInterval: 2000,
} as const
