/**
 * The reason of a failed connection, without the credentials that URLs may hold.
 * Node's error for a host with several addresses has a code but no message.
 */
export function reasonOf (error: unknown): string {
  const { message, code, cause } = error as NodeJS.ErrnoException
  if (cause instanceof Error) return reasonOf(cause)
  return (message || code || String(error)).replace(/\/\/[^@/\s]*@/g, '//').replace(/[.\s]+$/, '')
}
