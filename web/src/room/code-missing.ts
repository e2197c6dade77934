/** Code of the page could not be fetched: the network or the server is away, or the server has newer pages. */
export class CodeMissing extends Error {
  override readonly name = 'CodeMissing'
}
