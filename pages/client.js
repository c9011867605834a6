// @ts-check

// Browser client of Gatehouse, for pages on its origin or on one of APP_ORIGINS. The tokens are in HttpOnly cookies,
// which scripts cannot read; this client refreshes them in time. See docs/browser-client.md.
// `npm run generate` writes the types for applications, types/client.d.ts, from the comments in this file.

/** The user that the tokens name. @typedef {{ id: string, username: string }} User */
/** The user that signed in. @typedef {User & { email: string, name: string | null }} SignedInUser */
/** What the account can prove the second factor with. @typedef {'passkey' | 'totp' | 'recovery'} FactorMethod */
/** The password is right, and a second factor is needed. @typedef {{ secondFactor: FactorMethod[] }} SecondStep */
/** An address without an account: call `registerByMail`. @typedef {{ register: true, email: string }} NewAddress */
/** The result of `createClient`. @typedef {ReturnType<typeof createClient>} GatehouseClient */

/** Name of the broadcast channel and prefix of the lock. */
const NAME = 'gatehouse'
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']
/** A token that expires within this many milliseconds is renewed before the next request. */
const REFRESH_MARGIN = 60_000

/** Its cookie has this prefix where browsers accept it: then no other host of the domain can set it. */
const PROOF_KEY = `${location.protocol === 'https:' ? '__Host-' : ''}proof_key`
const PROOF_KEY_SECONDS = 600

/** A request that failed. `status` is 0 if the service could not be reached. */
export class GatehouseError extends Error {
  /**
   * @param {number} status
   * @param {{ error?: string, message?: string, errors?: string[], methods?: string[] }} body
   * @param {number} [retryAfter]
   */
  constructor (status, body, retryAfter) {
    super(body.message ?? `the service responded with ${status}`)
    this.name = 'GatehouseError'
    this.status = status
    this.error = body.error
    this.errors = body.errors ?? []
    /** How the user can confirm their identity, if the response is 403 "Confirm it is you". See `confirm`. */
    this.methods = body.methods ?? []
    /** Seconds, if the response has a `Retry-After` header. */
    this.retryAfter = retryAfter
  }
}

/** Returns a successful response; throws a GatehouseError otherwise. @param {Response | Promise<Response>} pending */
export async function expectOk (pending) {
  const response = await Promise.resolve(pending).catch(error => {
    throw error instanceof GatehouseError ? error : new GatehouseError(0, { message: 'the service cannot be reached' })
  })
  if (response.ok) return response
  const body = await response.json().catch(() => ({}))
  throw new GatehouseError(response.status, body, Number(response.headers.get('retry-after')) || undefined)
}

/** Options of `fetch` for a JSON body. @param {string} method @param {unknown} [body] @returns {RequestInit} */
export const asJson = (method, body) => body === undefined
  ? { method }
  : { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }

/** Whether there was no response to the last proof. */
const hasProofKey = () => document.cookie.includes(`${PROOF_KEY}=`)

/** @param {string} value @param {number} maxAge */
function setProofKey (value, maxAge) {
  const secure = location.protocol === 'https:' ? '; secure' : ''
  document.cookie = `${PROOF_KEY}=${value}; path=/; max-age=${maxAge}; samesite=lax${secure}`
}

/**
 * A proof of identity replaces the session. If the response is lost, this random value, which stays until then, shows
 * that the old cookies are in the browser that sent the proof. A copy of them from before has no such value.
 */
function prepareProof () {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  setProofKey(Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join(''), PROOF_KEY_SECONDS)
}

/**
 * Runs in one tab at a time. Web Locks need https or localhost.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function inTurn (name, work) {
  return navigator.locks ? navigator.locks.request(`${NAME}-${name}`, work) : work()
}

/**
 * One client is enough for a page.
 * @param {{ url?: string }} [options] `url`: the address of Gatehouse, if it is not the origin of the page.
 */
export function createClient ({ url = location.origin } = {}) {
  const { origin } = new URL(url, location.origin)
  // Gatehouse would not get a cookie of another host. Without it, a user whose response is lost signs in again.
  const prepare = origin === location.origin ? prepareProof : () => {}
  const channel = new BroadcastChannel(NAME)
  // The first channel means "signed out" with any message, also to pages that an earlier version has loaded.
  const tokenChannel = new BroadcastChannel(`${NAME}-tokens`)
  /** For other services, by audience. All tabs share them, and they are never stored.
   * @type {Map<string, { token: string, expiresAt: number }>} */
  const tokens = new Map()
  tokenChannel.addEventListener('message', ({ data }) => keepTokens(data))
  let expiresAt = 0
  let mustEnrol = false
  /** @type {string | undefined} */
  let csrfToken
  /** @type {Promise<User | null> | undefined} */
  let refreshing

  /** Sends a request to Gatehouse, with the cookies. @param {string} path @param {RequestInit} [init] */
  const call = (path, init) => fetch(origin + path, { ...init, credentials: 'include' })

  const isFresh = () => Date.now() < expiresAt - REFRESH_MARGIN

  /** @returns {Promise<{ user: User | null, expiresIn: number, mustEnrol?: boolean, renewable: boolean }>} */
  async function readSession () {
    const state = await (await expectOk(call('/api/auth/session'))).json()
    mustEnrol = state.mustEnrol ?? false
    expiresAt = state.user || mustEnrol ? Date.now() + state.expiresIn * 1_000 : 0
    return state
  }

  /** @param {{ csrfToken: string } | { audience: string, token: string, expiresAt: number }} [news] */
  function keepTokens (news) {
    if (!news) {
      csrfToken = undefined
      tokens.clear()
    } else if ('csrfToken' in news) csrfToken = news.csrfToken
    else tokens.set(news.audience, news)
  }

  /** In all tabs. @param {Parameters<typeof keepTokens>[0]} [news] None when a session has begun or ended. */
  function shareTokens (news) {
    keepTokens(news)
    tokenChannel.postMessage(news)
  }

  /** Returns a response if no user is signed in. Throws if the token cannot be had for another reason. */
  function getCsrfToken () {
    return inTurn('csrf', async () => {
      if (csrfToken) return undefined
      const response = await call('/api/csrf-token')
      if (response.status === 401) return response
      shareTokens({ csrfToken: (await (await expectOk(response)).json()).csrfToken })
    })
  }

  async function beginSession () {
    shareTokens()
    // For `isFresh`. If this request fails, the user is signed in nevertheless.
    await readSession().catch(() => {})
  }

  /** @param {string} path @param {unknown} body @returns {Promise<SignedInUser>} */
  async function finishSignIn (path, body) {
    const response = await expectOk(call(path, asJson('POST', body)))
    await beginSession()
    return (await response.json()).user
  }

  async function renew () {
    const { user, renewable } = await readSession()
    // Another tab has already refreshed.
    if (isFresh()) return user
    if (!renewable) return user
    const response = await call('/api/auth/refresh', { method: 'POST' })
    // The session may have been replaced while the request was under way: then the browser has new cookies.
    if (response.status !== 401) await expectOk(response)
    return (await readSession()).user
  }

  function refresh () {
    // Without locks, the 30 seconds in which a used token is still accepted suffice.
    refreshing ??= inTurn('refresh', renew).finally(() => { refreshing = undefined })
    return refreshing
  }

  /** @param {Request} request */
  async function send (request) {
    const { origin: target, pathname } = new URL(request.url)
    if (SAFE_METHODS.includes(request.method) || target !== origin) return fetch(request)
    const refused = csrfToken ? undefined : await getCsrfToken()
    if (refused) return refused
    request.headers.set('x-csrf-token', csrfToken ?? '')
    if (!pathname.startsWith('/api/auth/')) return fetch(request)
    // In turn with refreshes: the cookies of a late response would replace newer ones.
    return inTurn('refresh', () => sendProof(request))
  }

  /** Every change of the account may be a proof of identity. @param {Request} request */
  async function sendProof (request) {
    prepare()
    const response = await fetch(request)
    // After a failure of the service, the proof may have been stored.
    if (response.status < 500) setProofKey('', 0)
    return response
  }

  /** @param {Response} response */
  async function isStaleCsrfToken (response) {
    return response.status === 403 && (await response.clone().json().catch(() => ({}))).error === 'Forbidden'
  }

  return {
    /** Whether the access token is valid for at least another minute, as far as this page knows. */
    isFresh,

    /** Refreshes the tokens, once for all tabs and concurrent callers. Resolves to `null` if no user is signed in. */
    refresh,

    /** The signed-in user according to the tokens, or `null`. */
    async me () {
      const { user, renewable } = await readSession()
      return renewable && !isFresh() ? refresh() : user
    },

    /** Whether the user must add a second factor before anything else, as far as this page knows. */
    mustEnrol: () => mustEnrol,

    /**
     * Resolves to the user, or to `{ secondFactor }` if `signInWithCode` or `finishWithPasskey` must follow.
     * @param {string} username Username or email.
     * @param {string} password
     * @returns {Promise<SignedInUser | SecondStep>}
     */
    async signIn (username, password) {
      const response = await expectOk(call('/login', asJson('POST', { username, password })))
      const body = await response.json()
      if (response.status === 202) return body
      await beginSession()
      return body.user
    },

    /**
     * Sends a code and a link to the address. The code works in this browser.
     * @param {string} email
     * @param {{ next?: string }} [options] `next`: the path to open after a sign-in with the link.
     */
    async sendSignInMail (email, { next } = {}) {
      await expectOk(call('/login/mail', asJson('POST', { email, ...next && { next } })))
    },

    /**
     * Resolves to the user, to `{ secondFactor }` as `signIn` does, or to `{ register, email }` for a new address.
     * @param {{ code: string } | { token: string }} proof The code of the mail, or the token of its link.
     * @returns {Promise<SignedInUser | SecondStep | NewAddress>}
     */
    async signInByMail (proof) {
      const response = await expectOk(call('/login/mail/confirm', asJson('POST', proof)))
      const body = await response.json()
      if (response.status === 202) return body
      await beginSession()
      return body.user
    },

    /**
     * Creates an account without a password, after `signInByMail` resolved to `{ register }`, and signs in to it.
     * @param {{ name: string, username?: string }} account `username`: made from the name if it is missing.
     * @returns {Promise<SignedInUser>}
     */
    async registerByMail (account) {
      return finishSignIn('/register/mail', account)
    },

    /**
     * The second step of a login.
     * @param {string} code Of the authenticator app, or a recovery code.
     * @param {{ remember?: boolean }} [options] `remember`: do not ask in this browser again.
     * @returns {Promise<SignedInUser>}
     */
    async signInWithCode (code, { remember = false } = {}) {
      return finishSignIn('/login/second-factor', { code, remember })
    },

    /** The options for `PublicKeyCredential.parseRequestOptionsFromJSON()`. They are valid for five minutes. */
    async passkeyOptions () {
      return (await expectOk(call('/login/passkey/options', { method: 'POST' }))).json()
    },

    /**
     * Signs in with a passkey alone.
     * @param {object} response The result of `credential.toJSON()`.
     * @returns {Promise<SignedInUser>}
     */
    async signInWithPasskey (response) {
      return finishSignIn('/login/passkey', { response })
    },

    /**
     * The second step of a login, with a passkey.
     * @param {object} response The result of `credential.toJSON()`.
     * @param {{ remember?: boolean }} [options] `remember`: do not ask in this browser again.
     * @returns {Promise<SignedInUser>}
     */
    async finishWithPasskey (response, { remember = false } = {}) {
      return finishSignIn('/login/second-factor', { passkey: response, remember })
    },

    /**
     * Confirms the identity of the signed-in user, after a 403 "Confirm it is you". Repeat the request afterwards.
     * @param {{ password: string } | { code: string } | { passkey: object }} proof
     */
    async confirm (proof) {
      await expectOk(this.fetch(`${origin}/api/auth/reauthenticate`, asJson('POST', proof)))
    },

    /**
     * Call it when the user follows a link to a provider to confirm their identity. If the way back is interrupted,
     * the user stays signed in.
     */
    prepareProof: prepare,

    /** Ends the session, in this tab and all others. */
    async signOut () {
      await expectOk(inTurn('refresh', () => call('/logout', { method: 'POST' })))
      this.forget()
    },

    /** Tells all tabs that the session has ended. */
    forget () {
      expiresAt = 0
      shareTokens()
      channel.postMessage('signed out')
    },

    /** Calls the listener when another tab signs out. @param {() => void} listener */
    onSignOut (listener) {
      channel.addEventListener('message', listener)
    },

    /**
     * A token for another service, for its `Authorization` header. It is asked for once and used while it is valid,
     * by all tabs: call this before each request.
     * @param {string} audience One of `TOKEN_AUDIENCES`.
     * @returns {Promise<string>}
     */
    async token (audience) {
      const find = () => {
        const known = tokens.get(audience)
        return known && Date.now() < known.expiresAt - REFRESH_MARGIN ? known.token : undefined
      }
      return find() ?? inTurn(`token-${audience}`, async () => {
        const known = find()
        if (known) return known
        const response = await expectOk(this.fetch(`${origin}/api/auth/token`, asJson('POST', { audience })))
        const { token, expiresAt } = await response.json()
        shareTokens({ audience, token, expiresAt: Date.parse(expiresAt) })
        return token
      })
    },

    /**
     * Like the browser's `fetch`. For requests to the origin of the page and to Gatehouse, refreshes an expired access
     * token and repeats the request. Sends the CSRF token with unsafe methods, only to Gatehouse.
     * @param {RequestInfo | URL} input
     * @param {RequestInit} [init]
     */
    async fetch (input, init) {
      const given = new Request(input, init)
      const target = new URL(given.url).origin
      if (target !== origin && target !== location.origin) return fetch(given)
      const request = target === origin ? new Request(given, { credentials: 'include' }) : given
      if (hasProofKey() || (expiresAt > 0 && !isFresh())) await refresh()
      const response = await send(request.clone())
      if (response.status === 401) return await refresh() ? send(request) : response
      if (target !== origin || !csrfToken || !await isStaleCsrfToken(response)) return response
      csrfToken = undefined
      return send(request)
    },
  }
}
