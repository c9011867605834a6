export type FactorMethod = 'passkey' | 'totp' | 'recovery'

interface Owned { passkeys: number, totp: boolean, recoveryCodesLeft: number }

/** Whether the account has a second factor. Recovery codes only stand in for one. */
export const isProtected = ({ passkeys, totp }: Owned): boolean => passkeys > 0 || totp

/** What a user can prove the second factor with, strongest first. */
export function factorMethods (owned: Owned): FactorMethod[] {
  if (!isProtected(owned)) return []
  const { passkeys, totp, recoveryCodesLeft } = owned
  const available = { passkey: passkeys > 0, totp, recovery: recoveryCodesLeft > 0 }
  return (Object.keys(available) as FactorMethod[]).filter(method => available[method])
}
