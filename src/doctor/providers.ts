import type { Config } from '../config.ts'
import { providerSettings } from '../providers/settings.ts'
import { PROVIDERS, type Provider, type ProviderSettings } from '../providers/providers.ts'
import { reasonOf } from '../observability/error-reason.ts'
import { about, type Finding } from './finding.ts'

const ANSWER_TIMEOUT = 5_000

export async function checkProviders (config: Config): Promise<Finding[]> {
  return Promise.all(Object.values(PROVIDERS).map(provider => checkProvider(config, provider)))
}

async function checkProvider (config: Config, provider: Provider): Promise<Finding> {
  const { ok, problem } = about(provider.path)
  const prefix = provider.key.toUpperCase()
  let settings: ProviderSettings | undefined
  try {
    settings = providerSettings(config, provider)
  } catch {
    return problem('one of its addresses cannot be read.', `Write ${prefix}_AUTHORIZE_URL and ${prefix}_TOKEN_URL with their https://.`)
  }
  if (!settings) return ok('off: it has no client id.')

  const home = new URL(config.PUBLIC_URL).origin
  if (!URL.canParse(settings.redirectUri) || new URL(settings.redirectUri).origin !== home) {
    return problem(`it sends people back to ${settings.redirectUri}, where the cookies of ${home} are not sent.`, `Set ${prefix}_REDIRECT_URI, here and at the provider, to an address that begins with PUBLIC_URL.`)
  }

  const page = await openSignIn(settings)
  if (!page.ok) return problem(`its sign-in page ${page.why}.`, `Check ${prefix}_AUTHORIZE_URL and ${prefix}_CLIENT_ID, and that it knows ${settings.redirectUri}.`)
  const refusal = await tryToTrade(settings)
  if (!refusal.ok) return problem(`its token address ${refusal.why}.`, refusal.aboutClient ? `Check ${prefix}_CLIENT_ID and ${prefix}_CLIENT_SECRET.` : `Check ${prefix}_TOKEN_URL, and whether this machine gets out.`)
  return ok(`answers, and knows us. It must send people back to ${settings.redirectUri}.`)
}

interface Answer { ok: boolean, why: string, aboutClient?: boolean }

/** As a browser is sent there. */
async function openSignIn ({ authorizeUrl, clientId, redirectUri, scope }: ProviderSettings): Promise<Answer> {
  const url = new URL(authorizeUrl)
  const query = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope: scope.join(' '), state: 'gatehouse-doctor' }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  try {
    const { status } = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_TIMEOUT) })
    return { ok: status < 400, why: `answers with ${status}` }
  } catch (error) {
    return { ok: false, why: `does not answer: ${reasonOf(error)}` }
  }
}

/** With a code that nobody was given: whoever refuses the code alone has accepted the client. */
async function tryToTrade ({ clientId, clientSecret, redirectUri, tokenUrl }: ProviderSettings): Promise<Answer> {
  const body = new URLSearchParams({ grant_type: 'authorization_code', client_id: clientId, client_secret: clientSecret, redirect_uri: redirectUri, code: 'gatehouse-doctor' })
  try {
    const answer = await fetch(tokenUrl, { method: 'POST', body, headers: { accept: 'application/json', 'user-agent': 'gatehouse' }, redirect: 'manual', signal: AbortSignal.timeout(ANSWER_TIMEOUT) })
    const { error } = await answer.json().catch(() => ({})) as { error?: unknown }
    if (typeof error !== 'string' || !/^[a-z_]+$/.test(error)) return { ok: false, why: `answers with ${answer.status}, and not as a provider does` }
    return { ok: !/client/.test(error), why: `does not know this client: ${error}`, aboutClient: true }
  } catch (error) {
    return { ok: false, why: `does not answer: ${reasonOf(error)}` }
  }
}
