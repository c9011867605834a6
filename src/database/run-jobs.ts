import type { Job, JobResult } from 'pg-boss'

/** `attempt` counts from 0. */
export interface Attempt { job: string, attempt: number }
export type Handler = (data: any, attempt: Attempt) => Promise<unknown>
type OnFailure = (error: unknown, attempt: Attempt) => void

/** Runs jobs concurrently: pg-boss gives an instance one of each group at a time. */
export async function runJobs (jobs: Array<Job<any>>, handler: Handler, onFailure: OnFailure): Promise<JobResult[]> {
  return Promise.all(jobs.map(job => run(job, handler, onFailure)))
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
