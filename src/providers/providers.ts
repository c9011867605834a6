import { parseEmail, parseId, parseText, profileOf, type OpenIdClaims, type Profile } from './profile.ts'

/** What every provider has. */
export interface Provider {
  /** Its name in records, cookies and error codes. */
  key: string
  /** Its name in addresses: /api/auth/… */
  path: string
  /** Of an OpenID provider whose ID tokens are verified. */
  issuer?: string
}

/** The settings of provider A or B, without discovery. */
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

/** Fetches JSON with the user's access token. `next` is the URL of the next page. */
export type FetchJson = (url: string) => Promise<{ body: unknown, next: string | undefined }>

/** Everything in which providers A and B differ. */
export interface OAuthProvider extends Provider {
  key: 'provider_a' | 'provider_b'
  path: 'provider-a' | 'provider-b'
  readProfile (fetchJson: FetchJson, settings: ProviderSettings): Promise<Profile>
}

/** More pages than any real user has. */
const MAX_EMAIL_PAGES = 5

interface GitHubUser { id?: unknown, login?: unknown, name?: unknown }
interface GitHubEmail { email?: unknown, primary?: unknown, verified?: unknown }

export const PROVIDERS: Record<OAuthProvider['key'], OAuthProvider> = {
  /** OpenID Connect, as Google implements it. */
  provider_a: {
    key: 'provider_a',
    path: 'provider-a',
    async readProfile (fetchJson, { userinfoUrl }) {
      return profileOf((await fetchJson(userinfoUrl)).body as OpenIdClaims)
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
