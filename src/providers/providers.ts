export interface ProviderSettings {
  clientId: string
  clientSecret: string
  redirectUri: string
  scope: string[]
  authorizeUrl: URL
  tokenUrl: URL
  userinfoUrl: string
  emailsUrl: string
}

/** A user's data at the provider. `email` is set only if the provider has verified it. */
export interface Profile {
  id: string
  email: string | undefined
  username: string | undefined
  name: string | undefined
}

/** `authTime`: when the user last signed in at the provider, in seconds, if the provider tells it. */
export interface ProvenProfile extends Profile { authTime?: number }

/** Fetches JSON with the user's access token. `next` is the URL of the next page. */
export type FetchJson = (url: string) => Promise<{ body: unknown, next: string | undefined }>

/** Everything in which the providers differ. */
export interface Provider {
  key: 'provider_a' | 'provider_b'
  path: 'provider-a' | 'provider-b'
  readProfile (fetchJson: FetchJson, settings: ProviderSettings): Promise<Profile>
}

/** More pages than any real user has. */
const MAX_EMAIL_PAGES = 5

interface OpenIdClaims { sub?: unknown, email?: unknown, email_verified?: unknown, name?: unknown }
interface GitHubUser { id?: unknown, login?: unknown, name?: unknown }
interface GitHubEmail { email?: unknown, primary?: unknown, verified?: unknown }

export const PROVIDERS: Record<Provider['key'], Provider> = {
  /** OpenID Connect, as Google implements it. */
  provider_a: {
    key: 'provider_a',
    path: 'provider-a',
    async readProfile (fetchJson, { userinfoUrl }) {
      const claims = (await fetchJson(userinfoUrl)).body as OpenIdClaims
      const verified = claims.email_verified === true || claims.email_verified === 'true'
      const email = verified ? parseEmail(claims.email) : undefined
      return {
        id: parseId(claims.sub),
        email,
        username: email?.split('@')[0],
        name: parseText(claims.name, 200),
      }
    },
  },

  /** OAuth 2, as GitHub implements it. Only its list of emails says which one is verified; /user does not. */
  provider_b: {
    key: 'provider_b',
    path: 'provider-b',
    async readProfile (fetchJson, { userinfoUrl, emailsUrl }) {
      const user = (await fetchJson(userinfoUrl)).body as GitHubUser
      const username = parseText(user.login, 254)
      if (!username) throw new Error('the provider sent no valid login')
      return {
        id: parseId(user.id),
        email: await primaryEmail(fetchJson, emailsUrl),
        username,
        name: parseText(user.name, 200),
      }
    },
  },
}

const isPrimary = ({ primary, verified }: GitHubEmail) => primary === true && verified === true

async function primaryEmail (fetchJson: FetchJson, firstPage: string): Promise<string | undefined> {
  let page: string | undefined = firstPage
  for (let pages = 0; page && pages < MAX_EMAIL_PAGES; pages++) {
    const { body, next }: Awaited<ReturnType<FetchJson>> = await fetchJson(page)
    const primary = Array.isArray(body) && body.find(isPrimary)
    if (primary) return parseEmail(primary.email)
    page = next
  }
  return undefined
}

/** Rejects unusual characters instead of removing them: a cleaned id could equal the id of another user. */
function parseId (value: unknown): string {
  const id = typeof value === 'number' ? String(value) : value
  if (typeof id !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(id)) throw new Error('the provider sent no valid id')
  return id
}

/** ASCII only, as at registration: PostgreSQL lower-cases some other letters to ASCII, such as the Kelvin sign to k. */
const EMAIL = /^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/

function parseEmail (value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= 254 && EMAIL.test(value) ? value : undefined
}

/** Removes control characters and lone surrogates, and shortens the text to `maxLength`. */
function parseText (value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return undefined
  return value.toWellFormed().replace(/\p{Cc}/gu, '').trim().slice(0, maxLength).toWellFormed() || undefined
}
