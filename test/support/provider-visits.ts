import { signInAtProvider } from './person.ts'
import type { Browser } from './browser.ts'
import { secrets } from './build.ts'

/** PUBLIC_URL of the tests. */
export const HOME = 'http://gatehouse.test'

export type Choice = Parameters<typeof signInAtProvider>[1]

const SECRET = 'pr0vider-Secret'
secrets.add(SECRET)

/** The service as a client of the provider with this name. */
export const registration = (name: string, port?: number) =>
  ({ clientId: 'gatehouse', clientSecret: SECRET, redirectUri: `${HOME}/api/auth/${name}/callback`, port })

/** Signs in at the provider, and returns the callback as a path of the service, without requesting it. */
export async function signInAt (address: string, choice?: Choice): Promise<string> {
  const back = await signInAtProvider(address, choice)
  for (const name of ['code', 'state']) {
    const value = back.searchParams.get(name)
    if (value) secrets.add(value)
  }
  return back.pathname + back.search
}

/** Starts a sign-in, completes it at the provider, and returns the callback. */
export async function comeBackFrom (browser: Browser, name: string, choice?: Choice, query = ''): Promise<string> {
  const start = await browser.get(`/api/auth/${name}${query}`)
  if (start.statusCode !== 302) throw new Error(`${name}: ${start.statusCode} ${start.body}`)
  return signInAt(String(start.headers.location), choice)
}

/** Requests the callback as browsers do: with no Strict cookie, since another site began the navigation. */
export async function landOn (browser: Browser, back: string): Promise<string> {
  const strict = [...browser.cookies].filter(([name]) => /_token$|^_csrf$|^login_step$/.test(name))
  for (const [name] of strict) browser.cookies.delete(name)
  const { headers } = await browser.get(back)
  for (const [name, value] of strict) if (!browser.cookies.has(name)) browser.cookies.set(name, value)
  return String(headers.location)
}

/** The whole way to the provider and back. Returns where it leads. */
export async function goThrough (browser: Browser, name: string, choice?: Choice, query = ''): Promise<string> {
  return landOn(browser, await comeBackFrom(browser, name, choice, query))
}

export const tokensIn = (browser: Browser) => [...browser.cookies.keys()].filter(name => name.endsWith('_token'))
