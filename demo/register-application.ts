import type { FastifyInstance } from 'fastify'
import { digest } from '../src/secrets/digest.ts'
import type { Registered } from './application-client.ts'

// The address differs if its port was taken at this start.
const REGISTER = `
  INSERT INTO applications (id, name, kind, redirect_uris, post_logout_uris, backchannel_logout_url, trusted)
  VALUES ($1, 'Orders', 'web', $2, $3, $4, true)
  ON CONFLICT (id) DO UPDATE SET redirect_uris = excluded.redirect_uris,
    post_logout_uris = excluded.post_logout_uris, backchannel_logout_url = excluded.backchannel_logout_url`
const ADD_SECRET = 'INSERT INTO application_secrets (application_id, digest) VALUES ($1, $2) ON CONFLICT DO NOTHING'

/** Adds the demo application to those of Gatehouse: a second start changes nothing but its address. */
export function registerApplication (app: FastifyInstance, { clientId, clientSecret, url }: Registered) {
  app.addHook('onReady', async function addApplication () {
    const logoutUrl = `${url}/backchannel-logout`
    await app.database.transact(async client => {
      await client.query(REGISTER, [clientId, [`${url}/callback`], [`${url}/`], logoutUrl])
      await client.query(ADD_SECRET, [clientId, digest(clientSecret)])
      await app.logoutEndpoints.set(client, clientId, logoutUrl)
    })
  })
}
