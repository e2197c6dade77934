import { useCompileCache } from './compile-cache.ts'

// Called before all other imports, so that they use the cache.
useCompileCache()
const { runServer } = await import('./server-process.ts')
await runServer()
