/**
 * The link by which a browser saves a recording. It says so itself: browsers heed the `download` attribute no more once a
 * link leads to another origin, such as that of a store.
 * @param uri link to the recording, with a query
 */
export const downloadLink = (uri: string): string => `${uri}&download=1`
