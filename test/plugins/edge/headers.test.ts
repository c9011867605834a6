import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { build } from '../../support/build.ts'

const HEADERS = {
  'content-security-policy': [
    "default-src 'self'",
    "script-src 'self' 'unsafe-inline'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: https:",
    "font-src 'self'",
    "connect-src 'self'",
    "media-src 'self'",
    "object-src 'none'",
    "frame-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join(';'),
  'strict-transport-security': 'max-age=31536000; includeSubDomains; preload',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-site',
  'permissions-policy': [
    'accelerometer=(), autoplay=(), browsing-topics=(), camera=(), clipboard-read=(), compute-pressure=()',
    'display-capture=(), encrypted-media=(), fullscreen=(), gamepad=(), geolocation=(), gyroscope=(), hid=()',
    'identity-credentials-get=(), idle-detection=(), keyboard-map=(), local-fonts=(), magnetometer=(), microphone=()',
    'midi=(), otp-credentials=(), payment=(), picture-in-picture=(), screen-wake-lock=(), serial=()',
    'speaker-selection=(), storage-access=(), sync-xhr=(), usb=(), window-management=(), xr-spatial-tracking=()',
    'publickey-credentials-create=(self), publickey-credentials-get=(self)',
  ].join(', '),
  'x-dns-prefetch-control': 'off',
  'x-content-type-options': 'nosniff',
  'x-xss-protection': '0',
  'x-download-options': 'noopen',
  'cache-control': 'no-store',
  'x-powered-by': undefined,
}

const { app } = await build(t, {
  before: app => {
    app.register(async app => {
      app.get('/breaks', async () => {
        throw new Error('inside')
      })
      app.post(
        '/takes',
        { schema: { body: { type: 'object', properties: {}, additionalProperties: false } } },
        async () => ({})
      )
    })
  },
})

t.test('every response has the security headers', async t => {
  const ANSWERS: Array<
    [status: number, request: { method?: 'GET' | 'POST' | 'PUT', url: string, payload?: object }]
  > = [
    [200, { url: '/health' }],
    [404, { url: '/nowhere' }],
    [405, { method: 'PUT', url: '/health' }],
    [400, { method: 'POST', url: '/takes', payload: { a: 1 } }],
    [400, { url: '/%ZZ' }],
    [500, { url: '/breaks' }],
  ]
  for (const [status, request] of ANSWERS) {
    const answer = await app.inject(request)
    t.equal(answer.statusCode, status)
    for (const [name, value] of Object.entries(HEADERS)) {
      t.equal(answer.headers[name], value, `${name} on ${status} ${request.url}`)
    }
  }
})

t.test('scripts and style sheets: all but the permissions, which are those of their page', async t => {
  for (const file of ['client.js', 'style.css']) {
    const { headers } = await app.inject(`/gatehouse/${file}`)
    t.match(headers, { ...HEADERS, 'permissions-policy': undefined, 'cache-control': 'no-cache' })
  }
})

t.test('invalid HTTP and an unknown Expect: security headers, too', async t => {
  await app.listen({ port: 0 })
  const { port } = app.server.address() as AddressInfo

  const UNUSUAL = [
    [400, 'NOT HTTP\r\n\r\n'],
    [431, `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`],
    [404, 'GET /nowhere HTTP/1.1\r\nHost: x\r\nExpect: nonsense\r\nConnection: close\r\n\r\n'],
  ] as const
  for (const [status, request] of UNUSUAL) {
    const socket = connect(port, '127.0.0.1')
    socket.end(request)
    const answer = await text(socket)
    t.match(answer, `HTTP/1.1 ${status} `)
    t.match(JSON.parse(answer.split('\r\n\r\n')[1] ?? ''), { error: String, message: String })
    for (const [name, value] of Object.entries(HEADERS)) if (value) t.match(answer, `\r\n${name}: ${value}\r\n`)
  }
})
