/** What a key of the operator API may do. */
export const SCOPES = [
  'users:read', 'users:write', 'events:read', 'limits:read', 'limits:write', 'keys:read', 'keys:write',
  'mails:read', 'webhooks:read', 'webhooks:write', 'apps:read', 'apps:write', 'audit:read',
  'overview:read',
] as const

export type Scope = typeof SCOPES[number]

export const isScope = (text: string): text is Scope => SCOPES.some(scope => scope === text)
