import helmet, { type FastifyHelmetOptions } from '@fastify/helmet'
import Fastify from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance { securityHeaders: Readonly<Record<string, string>> }
}

const POLICY: FastifyHelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      scriptSrc: ["'self'", "'unsafe-inline'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:', 'https:'],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      mediaSrc: ["'self'"],
      objectSrc: ["'none'"],
      frameSrc: ["'none'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: true, preload: true },
  xFrameOptions: { action: 'deny' },
  referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
  crossOriginEmbedderPolicy: { policy: 'require-corp' },
  crossOriginOpenerPolicy: { policy: 'same-origin' },
  crossOriginResourcePolicy: { policy: 'same-site' },
}

/** Browser features that no page of the service uses. */
const UNUSED_FEATURES = [
  'accelerometer', 'autoplay', 'browsing-topics', 'camera', 'clipboard-read', 'compute-pressure', 'display-capture',
  'encrypted-media', 'fullscreen', 'gamepad', 'geolocation', 'gyroscope', 'hid', 'identity-credentials-get',
  'idle-detection', 'keyboard-map', 'local-fonts', 'magnetometer', 'microphone', 'midi', 'otp-credentials', 'payment',
  'picture-in-picture', 'screen-wake-lock', 'serial', 'speaker-selection', 'storage-access', 'sync-xhr', 'usb',
  'window-management', 'xr-spatial-tracking',
]
/** For passkeys. */
const USED_FEATURES = ['publickey-credentials-create', 'publickey-credentials-get']

const PERMISSIONS = [
  ...UNUSED_FEATURES.map(feature => `${feature}=()`),
  ...USED_FEATURES.map(feature => `${feature}=(self)`),
].join(', ')

/** Parts of a page have its permissions. A page has up to 40 of them, and the header has 900 bytes. */
const PARTS = /^text\/(?:javascript|css)/

/** Records helmet's headers once at startup: they never change, and helmet would build them for each request. */
async function recordHeaders (): Promise<Record<string, string>> {
  const recorder = Fastify()
  await recorder.register(helmet, POLICY)
  recorder.get('/', async (_request, reply) => reply.getHeaders())
  const headers = (await recorder.inject('/')).json<Record<string, string>>()
  await recorder.close()
  return headers
}

export default fp(async function (app) {
  const securityHeaders = Object.freeze({
    ...await recordHeaders(),
    'permissions-policy': PERMISSIONS,
    'cache-control': 'no-store',
  })
  const entries = Object.entries(securityHeaders)
  const ofParts = entries.filter(([name]) => name !== 'permissions-policy')
  app.decorate('securityHeaders', securityHeaders)
  app.addHook('onSend', function addSecurityHeaders (_request, reply, payload, done) {
    const own = reply.getHeaders()
    const missing = PARTS.test(String(own['content-type'])) ? ofParts : entries
    for (const [name, value] of missing) if (own[name] === undefined) reply.header(name, value)
    done(null, payload)
  })
}, { name: 'headers' })
