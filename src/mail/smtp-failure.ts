interface SmtpError extends Error { code?: string, responseCode?: number, command?: string }

/** Keeps only the codes of an SMTP error: its text may quote the mail, including the link. */
export function smtpFailure (error: unknown): Error & { permanent: boolean } {
  const { code, responseCode = 0, command } = error as SmtpError
  const codes = [code, responseCode || '', command && `at ${command}`].filter(Boolean).join(' ')
  // The recipient or the content was refused. Other failures, such as a wrong SMTP password, can be repaired.
  const permanent = responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA')
  return Object.assign(new Error(`the mail server did not accept the mail: ${codes || 'no response'}`), { permanent })
}
