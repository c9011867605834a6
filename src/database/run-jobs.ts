import type { Job, JobResult } from 'pg-boss'

/** `attempt` counts from 0. */
export interface Attempt { job: string, attempt: number }
export type Handler = (data: any, attempt: Attempt) => Promise<unknown>
type OnFailure = (error: unknown, attempt: Attempt) => void

/** Runs jobs concurrently, except for those of the same group, which run in order. */
export async function runJobs (jobs: Array<Job<any>>, handler: Handler, onFailure: OnFailure): Promise<JobResult[]> {
  const groups = Object.values(Object.groupBy(jobs, ({ id, groupId }) => groupId ?? id)) as Array<Array<Job<any>>>
  const results: JobResult[] = []
  await Promise.all(groups.map(async group => {
    for (const job of group) results.push(await run(job, handler, onFailure))
  }))
  return results
}

async function run ({ id, data, retryCount }: Job<any>, handler: Handler, onFailure: OnFailure): Promise<JobResult> {
  const attempt = { job: id, attempt: retryCount }
  try {
    await handler(data, attempt)
    return { id, status: 'completed' }
  } catch (error) {
    onFailure(error, attempt)
    return { id, status: 'failed' }
  }
}
