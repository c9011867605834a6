import { codeOf } from '../second-factor.ts'

/** The authenticator app and the recovery codes of a user. Each code works once, so that they may run out. */
export function createAuthenticatorApp () {
  let secret = ''
  let lastStep = 0
  let recoveryCodes: string[] = []
  const currentStep = () => Math.floor(Date.now() / 30_000)

  return {
    /** Takes a new key, and returns its first code. */
    setUp (key: string): string {
      secret = key
      lastStep = currentStep()
      return codeOf(secret)
    },

    saveRecoveryCodes (codes: string[]) {
      recoveryCodes = codes
    },

    nextCode (): string | undefined {
      const step = currentStep()
      if (step <= lastStep) return recoveryCodes.pop()
      lastStep = step
      return codeOf(secret)
    },
  }
}
