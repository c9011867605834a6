import { asJson, expectOk, GatehouseError } from '../../client.js'

export const API = '/operator/api/v1'

/** Sends a request that needs no session. @param {string} path @param {unknown} [body] */
export const post = (path, body) => expectOk(fetch(API + path, asJson('POST', body)))

/** For a passkey: what the browser needs to ask for it. */
export const passkeyOptions = async () => (await post('/session/passkey/options')).json()

/** Opens the sign-in page. Never resolves: nothing else should happen here. @param {string} [reason] */
export function leave (reason) {
  document.getElementById('main')?.setAttribute('hidden', '')
  const query = new URLSearchParams(reason ? { reason } : {})
  if (reason !== 'signed-out') query.set('next', location.pathname + location.search)
  location.replace(`/operator/sign-in?${query}`)
  return new Promise(() => {})
}

/** In another tab, a proof of identity may just have replaced the cookie of the session. */
const REPLACED_WITHIN = 1_000

/** Whether the operator was signed in when this page was opened. */
let hadSession = false

/** @param {() => Promise<Response>} send */
async function expectSession (send) {
  for (const isLast of [false, true]) {
    try {
      const response = await expectOk(send())
      hadSession = true
      return response
    } catch (error) {
      if (!(error instanceof GatehouseError) || error.status !== 401) throw error
      if (!isLast) await new Promise(resolve => setTimeout(resolve, REPLACED_WITHIN))
    }
  }
  return /** @type {Promise<never>} */ (leave(hadSession ? 'ended' : undefined))
}

/** Reads as the signed-in operator. @param {string} path @param {AbortSignal} [signal] */
export const get = (path, signal) => expectSession(() => fetch(API + path, { signal }))

/** Reads JSON. @param {Parameters<typeof get>} request */
export const read = async (...request) => (await get(...request)).json()

/**
 * @typedef {{ username: string, role: string, rights: string[], csrfToken: string, isFresh: boolean }} OperatorSession
 */

/** @type {string[]} */
let rights = []

/** Whether the operator may do this. The service decides it again for each request. @param {string} right */
export const can = right => rights.includes(right)

/** Who is signed in. @returns {Promise<OperatorSession>} */
export async function readSession () {
  const session = await read('/session')
  rights = session.rights
  return session
}

/**
 * Changes something as the signed-in operator. The CSRF token is that of the present cookie: each proof replaces it.
 * A body that is a text is JSON already.
 * @param {string} method @param {string} path @param {unknown} [body] @param {Record<string, string>} [headers]
 */
export async function change (method, path, body, headers = {}) {
  const request = asJson(method, body)
  if (typeof body === 'string') request.body = body
  const { csrfToken } = await readSession()
  return expectSession(() => fetch(API + path, {
    ...request,
    headers: { ...request.headers, ...headers, 'x-csrf-token': csrfToken },
  }))
}
