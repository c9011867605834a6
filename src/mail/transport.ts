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

/** Each attempt issues a new link or code, which replaces the one before. */
const NEW_EACH_TIME =
  ['verify', 'reset', 'invite', 'already-registered', 'change-email', 'sign-in', 'confirm-identity']

/** A retry keeps the Message-ID, so that mail clients recognize a duplicate, unless it has another link or code. */
export function messageId (name: string, job: string, attempt: number, url: string): string {
  return `<${job}${NEW_EACH_TIME.includes(name) ? `.${attempt}` : ''}@${new URL(url).hostname}>`
}

interface SmtpError extends Error { code?: string, responseCode?: number, command?: string }

/** Whether the mail server gave no answer at all. One that refuses a mail is there. */
export const isUnreachable = (error: unknown): boolean => !(error as SmtpError).responseCode

/** Keeps only the codes of an SMTP error: its text may quote the mail, including the link. */
export function smtpFailure (error: unknown): Error & { permanent: boolean } {
  const { code, responseCode = 0, command } = error as SmtpError
  const codes = [code, responseCode || '', command && `at ${command}`].filter(Boolean).join(' ')
  // The recipient or the content was refused. Other failures, such as a wrong SMTP password, can be repaired.
  const permanent = responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA')
  return Object.assign(new Error(`the mail server did not accept the mail: ${codes || 'no response'}`), { permanent })
}
