/** Seconds that an access token is valid. */
export const ACCESS_LIFETIME = 15 * 60

/** Why a session ended: the column `revoked_for`. */
export type EndReason =
  | 'sign_out' | 'ended_by_user' | 'ended_by_operator' | 'replaced' | 'reuse'
  | 'password_changed' | 'password_reset' | 'disabled' | 'session_limit' | 'email_change_undone'
  | 'email_verified' | 'password_expired' | 'ended_by_application'

/** How and when a user proved who they are. */
export interface Proof {
  /** In seconds since 1970. */
  authTime: number
  amr: Method[]
}

/** A proof of the key of a device, which `key` names by its thumbprint. `id` begins with the time of the proof. */
export interface DeviceProof { id: string, key: string }

/** As in RFC 8176, `ext` for a provider, and `mail` for a code or a link in a mail. */
export type Method = 'pwd' | 'otp' | 'hwk' | 'mfa' | 'ext' | 'mail'

/** What a session has proved after a second factor, in addition to what it proved before. */
export function withSecondFactor ({ amr = [] }: { amr?: Method[] }, method: 'otp' | 'hwk'): Method[] {
  return [...new Set<Method>([...amr, method, 'mfa'])]
}
