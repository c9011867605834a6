// An app without its own sign-in. It believes only the token, which it verifies with the public keys of Gatehouse.
import { createServer } from 'node:http'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'

const { ISSUER, KEYS_URL = `${ISSUER}/.well-known/jwks.json`, HOST, PORT = 8080 } = process.env
const keys = createRemoteJWKSet(new URL(KEYS_URL))
const EXPECTED = { algorithms: ['EdDSA', 'ES256'], issuer: ISSUER, audience: 'example-app', typ: 'at+jwt' }

/** The public keys could not be fetched: this does not mean that the user is signed out. */
function isOutage (error) {
  return !(error instanceof errors.JOSEError) || ['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT'].includes(error.code)
}

const app = createServer(async ({ headers }, response) => {
  response.setHeader('content-type', 'text/plain; charset=utf-8')
  try {
    const { payload } = await jwtVerify(headers['x-auth-token'] ?? '', keys, EXPECTED)
    response.end(`Hello ${payload.username}, you are user ${payload.sub}.\n`)
  } catch (error) {
    response.writeHead(isOutage(error) ? 503 : 401).end()
  }
})

app.listen(Number(PORT), HOST)
process.on('SIGTERM', () => app.close())
