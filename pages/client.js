// @ts-check

/**
 * The browser's side of Gatehouse, for pages on the same origin. No token is ever in reach of a script:
 * the cookies hold them, and this keeps them fresh. See docs/browser-client.md.
 *
 * @typedef {{ id: string, username: string }} User
 * @typedef {{ user: User | null, expiresIn: number, renewable: boolean }} SessionState
 */

const NAME = 'gatehouse'
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']
/** A token that runs out within this many milliseconds is not fresh any more. */
const MARGIN = 60_000

/** What the service refused, and why. `status` 0: it could not be reached. */
export class GatehouseError extends Error {
  /** @param {number} status @param {{ error?: string, message?: string, errors?: string[] }} body @param {number} [retryAfter] */
  constructor (status, body, retryAfter) {
    super(body.message ?? `the service answered ${status}`)
    this.name = 'GatehouseError'
    this.status = status
    this.error = body.error
    this.errors = body.errors ?? []
    /** Seconds, where the service names them. */
    this.retryAfter = retryAfter
  }
}

/** The answer itself, where it is a success. @param {Response | Promise<Response>} answer */
export async function expectOk (answer) {
  const response = await Promise.resolve(answer).catch(error => {
    throw error instanceof GatehouseError ? error : new GatehouseError(0, { message: 'the service cannot be reached' })
  })
  if (response.ok) return response
  const body = await response.json().catch(() => ({}))
  throw new GatehouseError(response.status, body, Number(response.headers.get('retry-after')) || undefined)
}

/** @param {string} method @param {unknown} [body] @returns {RequestInit} */
export const asJson = (method, body) => body === undefined ? { method } : { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }

export function createClient () {
  const channel = new BroadcastChannel(NAME)
  let freshUntil = 0
  /** @type {string | undefined} */
  let csrfToken
  /** @type {Promise<User | null> | undefined} */
  let refreshing

  const isFresh = () => Date.now() < freshUntil - MARGIN

  /** @returns {Promise<SessionState>} */
  async function readSession () {
    const state = await (await expectOk(fetch('/api/auth/session'))).json()
    freshUntil = state.user ? Date.now() + state.expiresIn * 1_000 : 0
    return state
  }

  async function renew () {
    const { user, renewable } = await readSession()
    // Another tab was here first.
    if (user && isFresh()) return user
    if (!renewable) return user
    const response = await fetch('/api/auth/refresh', { method: 'POST' })
    if (response.status === 401) return null
    await expectOk(response)
    return (await readSession()).user
  }

  /** Trades the refresh token, once for all tabs and for all who ask meanwhile. Nobody is signed in: `null`. */
  function refresh () {
    // Web Locks need https or localhost. Without them the service's half minute of grace is enough.
    refreshing ??= Promise.resolve(navigator.locks ? navigator.locks.request(`${NAME}-refresh`, renew) : renew())
      .finally(() => { refreshing = undefined })
    return refreshing
  }

  /** @param {Request} request */
  async function send (request) {
    if (SAFE_METHODS.includes(request.method)) return fetch(request)
    if (!csrfToken) {
      const answer = await fetch('/api/csrf-token')
      if (!answer.ok) return answer
      csrfToken = (await answer.json()).csrfToken
    }
    request.headers.set('x-csrf-token', csrfToken ?? '')
    return fetch(request)
  }

  /** @param {Response} response */
  async function isStaleCsrfToken (response) {
    return response.status === 403 && (await response.clone().json().catch(() => ({}))).error === 'Forbidden'
  }

  return {
    isFresh,
    refresh,

    /** Who is signed in, as far as the tokens tell, or `null`. */
    async me () {
      const { user, renewable } = await readSession()
      return renewable && !isFresh() ? refresh() : user
    },

    /** @param {string} username Or the email. @param {string} password @returns {Promise<User & { email: string, name: string | null }>} */
    async signIn (username, password) {
      const response = await expectOk(fetch('/login', asJson('POST', { username, password })))
      csrfToken = undefined
      return (await response.json()).user
    },

    /** Here and in all tabs. */
    async signOut () {
      await expectOk(fetch('/logout', { method: 'POST' }))
      this.forget()
    },

    /** Tells all tabs that nobody is signed in any more. */
    forget () {
      freshUntil = 0
      csrfToken = undefined
      channel.postMessage('signed out')
    },

    /** When another tab signs out. @param {() => void} listener */
    onSignOut (listener) {
      channel.addEventListener('message', listener)
    },

    /**
     * As the browser's own, and refreshes before or after the token ran out, and sends the CSRF token with what changes something.
     * @param {RequestInfo | URL} input
     * @param {RequestInit} [init]
     */
    async fetch (input, init) {
      const request = new Request(input, init)
      if (new URL(request.url).origin !== location.origin) return fetch(request)
      if (freshUntil > 0 && !isFresh()) await refresh()
      const response = await send(request.clone())
      if (response.status === 401) return await refresh() ? send(request) : response
      if (!csrfToken || !await isStaleCsrfToken(response)) return response
      csrfToken = undefined
      return send(request)
    },
  }
}
