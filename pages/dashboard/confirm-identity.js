import { change } from '../parts/api.js'
import { GatehouseError } from '../client.js'

/**
 * Sends a request as the signed-in user, who first confirms their identity if the service asks for it.
 * Resolves to undefined if they cancel.
 * @param {string} method @param {string} path @param {unknown} [body]
 */
export async function changeConfirmed (method, path, body) {
  try {
    return await change(method, path, body)
  } catch (error) {
    if (!(error instanceof GatehouseError && error.error === 'Confirm it is you')) throw error
    // Loaded when it is needed, which is seldom.
    const { confirmIdentity } = await import('./confirm-dialog.js')
    return await confirmIdentity(error.methods, path) ? change(method, path, body) : undefined
  }
}
