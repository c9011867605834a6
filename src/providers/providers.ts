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

/** What a provider says of a person. No email means: none that the provider itself has verified. */
export interface Profile {
  id: string
  email: string | undefined
  username: string | undefined
  name: string | undefined
}

/** Fetches JSON with the person's access token, and says where the next page is. */
export type Ask = (url: string) => Promise<{ body: unknown, next: string | undefined }>

/** Everything in which providers differ. A third one would be one more of these. */
export interface Provider {
  key: 'provider_a' | 'provider_b'
  path: 'provider-a' | 'provider-b'
  readProfile (ask: Ask, settings: ProviderSettings): Promise<Profile>
}

/** More than any person has. */
const MAX_EMAIL_PAGES = 5

interface OpenIdClaims { sub?: unknown, email?: unknown, email_verified?: unknown, name?: unknown }
interface GitHubUser { id?: unknown, login?: unknown, name?: unknown }
interface GitHubEmail { email?: unknown, primary?: unknown, verified?: unknown }

export const PROVIDERS: Record<Provider['key'], Provider> = {
  /** OpenID Connect, as Google speaks it. */
  provider_a: {
    key: 'provider_a',
    path: 'provider-a',
    async readProfile (ask, { userinfoUrl }) {
      const claims = (await ask(userinfoUrl)).body as OpenIdClaims
      const verified = claims.email_verified === true || claims.email_verified === 'true'
      const email = verified ? emailIn(claims.email) : undefined
      return { id: idIn(claims.sub), email, username: email?.split('@')[0], name: textIn(claims.name, 200) }
    },
  },

  /** OAuth 2, as GitHub speaks it. Its /user does not tell whether an email is verified, so the list is asked. */
  provider_b: {
    key: 'provider_b',
    path: 'provider-b',
    async readProfile (ask, { userinfoUrl, emailsUrl }) {
      const user = (await ask(userinfoUrl)).body as GitHubUser
      const username = textIn(user.login, 254)
      if (!username) throw new Error('the provider named no login')
      return { id: idIn(user.id), email: await primaryEmail(ask, emailsUrl), username, name: textIn(user.name, 200) }
    },
  },
}

async function primaryEmail (ask: Ask, firstPage: string): Promise<string | undefined> {
  let page: string | undefined = firstPage
  for (let pages = 0; page && pages < MAX_EMAIL_PAGES; pages++) {
    const { body, next }: Awaited<ReturnType<Ask>> = await ask(page)
    const primary = Array.isArray(body) && body.find((each: GitHubEmail) => each.primary === true && each.verified === true)
    if (primary) return emailIn(primary.email)
    page = next
  }
  return undefined
}

/** Who somebody is must be plain to read: what would have to be cleaned could be made to look like somebody else. */
function idIn (value: unknown): string {
  const id = typeof value === 'number' ? String(value) : value
  if (typeof id !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(id)) throw new Error('the provider named no id')
  return id
}

/** ASCII, as at registration: PostgreSQL takes some other letters for the same, such as the Kelvin sign for k. */
function emailIn (value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= 254 && /^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/.test(value) ? value : undefined
}

/** A name, made to fit where it will be kept: no control characters, no lone surrogates, not too long. */
function textIn (value: unknown, limit: number): string | undefined {
  if (typeof value !== 'string') return undefined
  return value.toWellFormed().replace(/\p{Cc}/gu, '').trim().slice(0, limit).toWellFormed() || undefined
}
