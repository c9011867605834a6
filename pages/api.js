// @ts-check
import { asJson, createClient, expectOk } from './client.js'

export const gatehouse = createClient()

/** For everybody. @param {string} path @param {unknown} body @param {AbortSignal} [signal] */
export const post = (path, body, signal) => expectOk(fetch(path, { ...asJson('POST', body), signal }))

/** For whoever is signed in. @param {string} path */
export const read = async path => (await expectOk(gatehouse.fetch(path))).json()

/** For whoever is signed in. @param {string} method @param {string} path @param {unknown} [body] */
export const change = (method, path, body) => expectOk(gatehouse.fetch(path, asJson(method, body)))
