import type { FastifyInstance } from 'fastify'
import { digest } from '../src/secrets/digest.ts'
import type { Registered } from './application-client.ts'

const NAME = 'Orders'

/** Adds the demo application to those of Gatehouse. A second start changes nothing but its address. */
export function registerApplication (app: FastifyInstance, { clientId, clientSecret, url }: Registered) {
  app.addHook('onReady', async function addApplication () {
    const { applications, database, logoutEndpoints } = app
    const addresses = {
      redirectUris: [`${url}/callback`],
      postLogoutUris: [`${url}/`],
      backchannelLogoutUrl: `${url}/backchannel-logout`,
    }
    await database.transact(async client => {
      if (!await applications.change(client, clientId, addresses)) {
        await applications.add(client, {
          id: clientId, name: NAME, kind: 'web', trusted: false, pkceOptional: false, device: false, ...addresses,
        })
        await applications.addSecret(client, clientId, digest(clientSecret))
      }
      await logoutEndpoints.set(client, clientId, addresses.backchannelLogoutUrl)
    })
  })
}
