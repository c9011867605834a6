import type { Convert } from './convert.ts'

/** The NDJSON of the bulk export, and that with `passwordHash`, which the support of Auth0 sends on request. */
export const fromAuth0: Convert = user => ({
  username: user.username,
  email: user.email ?? user.Email,
  name: user.name === user.email ? undefined : user.name,
  email_verified: user.email_verified ?? user['Email Verified'],
  password_hash: user.passwordHash ?? user.password_hash,
  disabled: user.blocked,
  created_at: typeof user.created_at === 'string' ? user.created_at : undefined,
})
