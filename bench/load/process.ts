// The process that the load comes from: takes a job, answers with its outcome.
import { runJob } from './run-job.ts'

process.on('message', async job => {
  process.send?.(await runJob(job as Parameters<typeof runJob>[0]))
})
process.on('disconnect', () => process.exit())
