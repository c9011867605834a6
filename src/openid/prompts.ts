import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'

const { base, Check } = interactionPolicy

/** What decides when a person must be asked. */
export interface PromptRules {
  /** Whether the session must first be proved with a second factor, because the application asks for it. */
  needsSecondFactor (ctx: KoaContextWithOIDC): Promise<boolean>
  /** Whether the user must first prove who they are, because the session goes to another device. */
  needsFreshProof (ctx: KoaContextWithOIDC): Promise<boolean>
  /** Whether the user must allow it each time, because the application registered itself. */
  needsNewConsent (ctx: KoaContextWithOIDC): boolean
}

const isOffline = ({ oidc }: KoaContextWithOIDC) => oidc.requestParamScopes.has('offline_access')

/** The provider's own rules, with more: `acr_values`, other devices, and a consent to offline access given before. */
export function createPrompts ({ needsSecondFactor, needsFreshProof, needsNewConsent }: PromptRules) {
  const prompts = base()
  prompts.get('login')?.checks.add(new Check(
    'acr_values',
    'a second factor is required',
    'login_required',
    async ctx => !ctx.oidc.result?.login && await needsSecondFactor(ctx)
  ))
  prompts.get('login')?.checks.add(new Check(
    'fresh_proof',
    'a fresh proof is required',
    'login_required',
    needsFreshProof
  ))
  prompts.get('consent')?.checks.add(new Check(
    'registered_itself',
    'the application registered itself',
    'consent_required',
    needsNewConsent
  ))
  const { checks } = prompts.get('consent') ?? { checks: [] }
  const requested = checks.find(({ reason }) => reason === 'consent_prompt')
  if (requested) {
    const { check } = requested
    requested.check = async ctx => !isOffline(ctx) && await check(ctx)
  }
  return prompts
}
