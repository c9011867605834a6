// The process that generates the load: receives a job and sends its outcome.
import { runJob } from './run-job.ts'

process.on('message', async job => {
  process.send?.(await runJob(job as Parameters<typeof runJob>[0]))
})
process.on('disconnect', () => process.exit())
