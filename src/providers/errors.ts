import { Unavailable } from '../errors.ts'
import type { Refusal } from './refusal.ts'

interface Details { description?: string, refusal?: Refusal, cause?: unknown }

/** A sign-in through a provider that did not succeed. The browser is redirected to the login page. */
export class ProviderSignInFailed extends Error {
  /** Shown on the login page. */
  readonly description: string | undefined
  /** What the provider said, for the log. */
  readonly refusal: Refusal | undefined

  constructor (reason: string, { description, refusal, cause }: Details = {}) {
    super(reason, { cause })
    this.name = this.constructor.name
    this.description = description
    this.refusal = refusal
  }
}

/** This browser did not start the sign-in, or has completed it. Not recorded: anyone could fill the table with it. */
export class UnknownSignIn extends ProviderSignInFailed {}

/** This user of the provider belongs to another account. */
export class IdentityTaken extends ProviderSignInFailed {
  constructor () {
    super('this user of the provider belongs to another account')
  }
}

/** The provider has not described itself yet. The next request asks it again. */
export class ProviderUnavailable extends Unavailable {}
