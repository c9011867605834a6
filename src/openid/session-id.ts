import { createHash } from 'node:crypto'

/** How an application knows a session of a browser: the same for each sign-in there, and different at each one. */
export function sessionIdFor (applicationId: string, firstSessionId: string): string {
  const hash = createHash('sha256').update(`sid ${applicationId} ${firstSessionId}`).digest('hex')
  return hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
