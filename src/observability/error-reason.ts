/** Why something did not answer, without the secrets that addresses hold. Node's error for a host with several addresses has no words of its own. */
export function reasonOf (error: unknown): string {
  const { message, code, cause } = error as NodeJS.ErrnoException
  if (cause instanceof Error) return reasonOf(cause)
  return (message || code || String(error)).replace(/\/\/[^@/\s]*@/g, '//').replace(/[.\s]+$/, '')
}
