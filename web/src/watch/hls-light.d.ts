/** The build of hls.js without captions, other tracks of sound and protected media has the same types as the whole. */
declare module 'hls.js/light' {
  export * from 'hls.js'
  export { default } from 'hls.js'
}
