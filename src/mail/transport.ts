const RESPONSE_TIMEOUT = 5_000

export async function createMailTransport (url: string) {
  // Loaded only where it is used: it takes a tenth of the start.
  const { createTransport } = await import('nodemailer')
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
