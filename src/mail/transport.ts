import { createTransport } from 'nodemailer'

const ANSWER_TIMEOUT = 5_000

export function createMailTransport (url: string) {
  return createTransport({
    url,
    pool: true,
    // The job queue tries again, and knows better when.
    maxRequeues: 0,
    connectionTimeout: ANSWER_TIMEOUT,
    greetingTimeout: ANSWER_TIMEOUT,
    socketTimeout: ANSWER_TIMEOUT * 2,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}
