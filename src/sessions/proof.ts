/** How and when a user proved who they are. */
export interface Proof {
  /** In seconds since 1970. */
  authTime: number
  amr: Method[]
}

/** As in RFC 8176, and `ext` for a provider. */
export type Method = 'pwd' | 'otp' | 'hwk' | 'mfa' | 'ext'
