import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import fp from 'fastify-plugin'
import { AmbiguousRequest } from '../../src/errors.ts'

/**
 * Refuses requests that a reverse proxy could parse differently (request smuggling). Node's parser refuses
 * most of them, but accepts a second Host header and any list of transfer codings that ends with `chunked`.
 */
export default fp(async function (app) {
  // Node may have parsed the rest of such a request as the next one: refuse everything on this connection.
  const refused = new WeakSet<Socket>()

  app.addHook('onRequest', function refuseAmbiguous ({ raw }, _reply, done) {
    if (!isAmbiguous(raw) && !refused.has(raw.socket)) return done()
    refused.add(raw.socket)
    done(new AmbiguousRequest())
  })
}, { name: 'ambiguous-requests', dependencies: ['headers'] })

function isAmbiguous (message: IncomingMessage): boolean {
  const coding = message.headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return true
  const hosts = countHosts(message)
  return hosts > 1 || (hosts === 0 && message.httpVersion !== '1.0')
}

/** From `rawHeaders`, because `headers` holds only the first one. */
function countHosts ({ rawHeaders }: IncomingMessage): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count
}
