import { asJson, createClient, expectOk } from '../client.js'

export const gatehouse = createClient()

/** Sends a request that needs no session. @param {string} path @param {unknown} body @param {AbortSignal} [signal] */
export const post = (path, body, signal) => expectOk(fetch(path, { ...asJson('POST', body), signal }))

/** Reads JSON as the signed-in user. @param {string} path */
export const read = async path => (await expectOk(gatehouse.fetch(path))).json()

/** Changes something as the signed-in user. @param {string} method @param {string} path @param {unknown} [body] */
export const change = (method, path, body) => expectOk(gatehouse.fetch(path, asJson(method, body)))
