import { useCompileCache } from './compile-cache.ts'

// Before anything else is loaded, so that it is loaded from there.
useCompileCache()
const { runServer } = await import('./server-process.ts')
await runServer()
