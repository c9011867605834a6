import { createTransport } from 'nodemailer'

const RESPONSE_TIMEOUT = 5_000

export function createMailTransport (url: string) {
  return createTransport({
    url,
    pool: true,
    // The job queue does the retries.
    maxRequeues: 0,
    connectionTimeout: RESPONSE_TIMEOUT,
    greetingTimeout: RESPONSE_TIMEOUT,
    socketTimeout: RESPONSE_TIMEOUT * 2,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}
