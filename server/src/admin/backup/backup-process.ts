/**
 * Makes one backup in a process of its own, for a running server: it reads the whole database and waits for the disk,
 * which would hold up the server. The folder is its argument. It sends the bytes that are copied so far, and at last
 * why there is no backup.
 */
import { systemClock } from '../../clock.ts'
import { readConfig } from '../../config.ts'
import { OperatorError } from '../../errors/operator-error.ts'
import { OWNER_ONLY_UMASK } from '../../storage/private-folder.ts'
import { version } from '../version.ts'
import { backUp } from './back-up.ts'

process.umask(OWNER_ONLY_UMASK)
// A backup for nobody would be left over.
const giveUp = () => process.exit(1)
process.once('disconnect', giveUp)
try {
  const onCopied = (bytes: number) => process.send?.({ bytes })
  await backUp(readConfig(process.env), process.argv[2] ?? '', systemClock, version, {
    onBegin: async () => {},
    onCopied,
  })
} catch (error) {
  process.send?.({ problem: error instanceof OperatorError ? error.message : String(error) })
  process.exitCode = 1
}
process.off('disconnect', giveUp)
process.disconnect?.()
