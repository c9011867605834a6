import type { Convert } from './convert.ts'

/** Rows of the table `auth.users`, as CSV or NDJSON. */
export const fromSupabase: Convert = user => {
  const profile = profileOf(user.raw_user_meta_data)
  return {
    email: user.email,
    name: profile.full_name ?? profile.name,
    email_verified: Boolean(user.email_confirmed_at),
    password_hash: user.encrypted_password,
    disabled: isLater(user.banned_until) || Boolean(user.deleted_at),
    created_at: user.created_at,
  }
}

/** JSON in a column of CSV, or an object in NDJSON. */
function profileOf (value: unknown): Record<string, unknown> {
  try {
    return Object(typeof value === 'string' ? JSON.parse(value) : value)
  } catch {
    return {}
  }
}

const isLater = (time: unknown) => typeof time === 'string' && new Date(time).getTime() > Date.now()
