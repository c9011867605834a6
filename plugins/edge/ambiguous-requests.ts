import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import fp from 'fastify-plugin'
import { AmbiguousRequest } from '../../src/errors.ts'

/**
 * What a front end could read in another way than we do is refused. Node's parser refuses most of it;
 * it takes a second Host, and any list of codings that ends with `chunked`.
 */
export default fp(async function (app) {
  // What came with such a request is parsed already, and would be the next one: nothing more is done for that connection.
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

/** `headers` holds the first one only. */
function countHosts ({ rawHeaders }: IncomingMessage): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count
}
