import type pg from 'pg'

interface User {
  id: string
  send (method: string, url: string, payload?: object): Promise<unknown>
}

const PROVIDERS = '/api/auth/providers'

/** Each documented response of the routes that connect and disconnect a provider. Provider A must be configured. */
export async function exerciseProviders (owner: pg.Pool, { id, send }: User) {
  for (const name of ['unknown', 'x'.repeat(101), 'NOT']) {
    await send('POST', `${PROVIDERS}/${name}/connect`)
    await send('DELETE', `${PROVIDERS}/${name}`)
  }
  await send('POST', `${PROVIDERS}/provider-a/connect`)
  await owner.query("UPDATE users SET provider_a_id = 'connected' WHERE id = $1", [id])
  await send('POST', `${PROVIDERS}/provider-a/connect`)
  await send('DELETE', `${PROVIDERS}/provider-a`)
  await owner.query("UPDATE users SET provider_a_id = 'connected', password_hash = NULL WHERE id = $1", [id])
  await send('DELETE', `${PROVIDERS}/provider-a`)
}
