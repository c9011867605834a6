/** What a key of the operator API may do. roles.ts says what operators may do. */
export const SCOPE_WORDS = {
  'users:read': 'Search accounts, and see one with its sessions, events and factors',
  'users:write': 'Create, change and disable accounts',
  'events:read': 'Read the events of all accounts',
  'limits:read': 'See rate limits',
  'limits:write': 'Clear rate limits',
  'keys:read': 'See the keys of the API, and those that sign tokens',
  'keys:write': 'End keys of the API',
  'mails:read': 'See mails that wait or have failed',
  'webhooks:read': 'See webhooks and their deliveries',
  'webhooks:write': 'Add, change and remove webhooks, and send messages again',
  'apps:read': 'See the applications that sign users in',
  'apps:write': 'Add, change and remove applications, and make new secrets',
  'audit:read': 'Verify the audit trail',
  'overview:read': 'See counts of sign-ins, accounts and sessions',
  'operators:read': 'See who is an operator',
} as const

export type Scope = keyof typeof SCOPE_WORDS

export const SCOPES = Object.keys(SCOPE_WORDS) as Scope[]

export const isScope = (text: string): text is Scope => SCOPES.some(scope => scope === text)
