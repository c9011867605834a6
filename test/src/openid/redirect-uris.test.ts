import t from 'tap'
import { checkSettings } from '../../../src/openid/application-rules.ts'
import { checkUris, type ApplicationKind } from '../../../src/openid/redirect-uris.ts'

const PRODUCTION = { production: true, privateAllowed: false, available: [] }
const DEVELOPMENT = { production: false, privateAllowed: false, available: [] }

const ACCEPTED: Array<[uri: string, ...kinds: ApplicationKind[]]> = [
  ['https://app.example.com/callback', 'web', 'public'],
  ['https://app.example.com', 'web', 'public'],
  ['https://app.example.com/', 'web', 'public'],
  ['https://app.example.com:8443/callback?from=gatehouse&x=%20', 'web', 'public'],
  ['https://xn--bcher-kva.example/callback', 'web', 'public'],
  ['https://192.0.2.7/callback', 'web', 'public'],
  ['https://[2001:db8::7]/callback', 'web', 'public'],
  ['https://localhost/callback', 'web'],
  ['http://127.0.0.1/callback', 'public'],
  ['http://127.0.0.1:49152/callback', 'public'],
  ['http://[::1]/callback', 'public'],
  ['http://localhost:3000/callback', 'public'],
  ['com.example.app:/callback', 'public'],
  ['com.example.my-app2:/a/b?c=d', 'public'],
  ['com.example.app://callback', 'public'],
]

/** Refused for every kind, in production and in development. */
const REFUSED: Array<[uri: string, says: RegExp]> = [
  ['', /^\(empty\): this is not/],
  ['/callback', /not a complete URI/],
  ['//app.example.com/callback', /not a complete URI/],
  ['app.example.com/callback', /not a complete URI/],
  ['https://', /not a complete URI/],
  ['https://app.example.com/callback#', /fragment/],
  ['https://app.example.com/callback#token', /fragment/],
  ['com.example.app:/callback#x', /fragment/],
  ['https://ada@app.example.com/', /user name/],
  ['https://app.example.com:secret@evil.example/', /user name/],
  ['https://:secret@evil.example/', /user name/],
  ['com.example.app://ada@callback/', /user name/],
  ['https://@app.example.com/', /write it as https:\/\/app\.example\.com\//],
  ['https://*.example.com/callback', /wildcard/],
  ['https://app.example.com/*', /wildcard/],
  ['https://app.example.com/?next=*', /wildcard/],
  ['https://%2a.example.com/', /wildcard|write it as/],
  ['*', /not a complete URI/],
  [' https://app.example.com/', /spaces/],
  ['https://app.example.com/ ', /spaces/],
  ['https://app.example.com/a b', /spaces/],
  ['https://app.example.com/\n', /spaces/],
  ['https://app.exa\tmple.com/', /spaces/],
  ['https://app.example.com/\0', /control/],
  ['https://app.example.com/\u00a0', /spaces/],
  ['https://app.example.com/\u202emoc.live', /control/],
  ['java\nscript:alert(1)', /spaces/],
  ['javascript:alert(1)', /use https:/],
  ['JavaScript:alert(1)', /use https:/],
  ['javascript://app.example.com/%0aalert(1)', /use https:/],
  ['javascript:/com.example.app:/', /use https:/],
  ['data:text/html,<script>alert(1)</script>', /use https:/],
  ['vbscript:msgbox', /use https:/],
  ['file:///etc/passwd', /use https:/],
  ['blob:https://app.example.com/1', /use https:/],
  ['about:blank', /use https:/],
  ['ftp://app.example.com/', /use https:/],
  ['ws://app.example.com/', /use https:/],
  ['wss://app.example.com/', /use https:/],
  ['intent://callback#Intent;scheme=https;end', /fragment/],
  ['intent://callback', /use https:/],
  ['myapp:/callback', /use https:/],
  ['myapp://callback', /use https:/],
  ['com.example.app:callback', /use https:/],
  ['com.example.app:/', /use https:/],
  ['com.example.app:', /use https:/],
  ['urn:ietf:wg:oauth:2.0:oob', /use https:/],
  ['http://app.example.com/callback', /Only 127\.0\.0\.1/],
  ['http://127.0.0.1.evil.example/', /Only 127\.0\.0\.1/],
  ['http://localhost.evil.example/', /Only 127\.0\.0\.1/],
  ['http://app.localhost/', /Only 127\.0\.0\.1/],
  ['http://localhost./', /Only 127\.0\.0\.1/],
  ['http://127.0.0.2/', /Only 127\.0\.0\.1/],
  ['http://10.0.0.1/', /Only 127\.0\.0\.1/],
  ['http://0.0.0.0/', /Only 127\.0\.0\.1/],
  ['http://[::]/', /Only 127\.0\.0\.1/],
  ['http://[::ffff:127.0.0.1]/', /Only 127\.0\.0\.1/],
  ['https://APP.example.com/callback', /write it as https:\/\/app\.example\.com\/callback/],
  ['HTTPS://app.example.com/callback', /write it as/],
  ['https://app.example.com:443/callback', /write it as/],
  ['https:app.example.com/callback', /write it as/],
  ['https:/app.example.com/callback', /write it as/],
  ['https:///app.example.com/callback', /write it as/],
  ['https:\\\\app.example.com\\callback', /write it as/],
  ['https://app.example.com\\@evil.example/', /write it as/],
  ['https://app.example.com/a/../callback', /write it as/],
  ['https://app.example.com/%2e%2e/callback', /write it as/],
  ['https://app.example.com/.', /write it as/],
  ['https://bücher.example/', /write it as https:\/\/xn--bcher-kva\.example\//],
  ['https://ａpp.example.com/', /write it as/],
  ['https://app.example.com/ä', /write it as/],
  [`https://app.example.com/${'x'.repeat(1_977)}`, /at most 2000 characters/],
]

const check = (uri: string, kind: ApplicationKind, rules: typeof PRODUCTION) => () =>
  checkUris([uri], { kind, production: rules.production })

t.test('redirect URIs: accepted as they are, for the kinds that may have them', async t => {
  for (const [uri, ...kinds] of ACCEPTED) {
    for (const kind of ['web', 'public'] as const) {
      if (kinds.includes(kind)) t.strictSame(check(uri, kind, PRODUCTION)(), [uri], `${kind} ${uri}`)
      else t.throws(check(uri, kind, PRODUCTION), { message: /:/, statusCode: 400 }, `${kind} ${uri}`)
    }
  }
  const longest = `https://app.example.com/${'x'.repeat(1_976)}`
  t.strictSame(check(longest, 'web', PRODUCTION)(), [longest])
})

t.test('redirect URIs: everything else is refused, in one line that names the URI (400)', async t => {
  for (const [uri, says] of REFUSED) {
    for (const kind of ['web', 'public'] as const) {
      for (const rules of [PRODUCTION, DEVELOPMENT]) {
        t.throws(check(uri, kind, rules), { statusCode: 400, message: says }, `${kind} ${JSON.stringify(uri)}`)
      }
    }
  }
  const named = (uri: string) => {
    try {
      return String(check(uri, 'web', PRODUCTION)())
    } catch (error) {
      return (error as Error).message
    }
  }
  t.equal(named('myapp:/a'), 'myapp:/a: use https:, or for a device a scheme such as com.example.app:/callback.')
  t.notMatch(named('https://app.example.com/\r\nx'), /[\r\n]/)
  t.ok(named(`https://app.example.com/${'x'.repeat(3_000)}`).length < 300)
})

t.test('redirect URIs: a web application may use http: on the own machine in development only', async t => {
  for (const uri of ['http://localhost:3000/callback', 'http://127.0.0.1/callback', 'http://[::1]:8080/callback']) {
    t.strictSame(check(uri, 'web', DEVELOPMENT)(), [uri])
    t.throws(check(uri, 'web', PRODUCTION), { message: /Only a public application may have http:/ })
  }
})

t.test('redirect URIs: at most 50, each once', async t => {
  const many = Array.from({ length: 51 }, (_, n) => `https://app.example.com/${n}`)
  t.throws(() => checkUris(many, { kind: 'web', production: true }), { statusCode: 400, message: 'At most 50 URIs.' })
  const rules = { kind: 'web', production: true } as const
  t.equal(checkUris(many.slice(1), rules).length, 50)
  t.strictSame(checkUris(['https://a.example/', 'https://a.example/'], rules), ['https://a.example/'])
})

const redirectUris = ['https://app.example.com/callback']

t.test('settings: each kind has what it needs and nothing that it cannot use', async t => {
  for (const [kind, settings, says] of [
    ['web', { redirectUris: [] }, /at least one redirect URI/],
    ['public', { redirectUris: [] }, /at least one redirect URI/],
    ['public', { redirectUris, pkceOptional: true }, /Only a web application/],
    ['machine', { pkceOptional: true }, /Only a web application/],
    ['machine', { redirectUris }, /signs no user in/],
    ['machine', { postLogoutUris: redirectUris }, /signs no user in/],
    ['machine', { backchannelLogoutUrl: 'https://app.example.com/logout' }, /signs no user in/],
    ['machine', { trusted: true }, /signs no user in/],
    ['web', { postLogoutUris: ['https://app.example.com/*'] }, /wildcard/],
    ['web', { backchannelLogoutUrl: 'http://app.example.com/logout' }, /^Back-channel logout: .* must be https:/],
    ['web', { backchannelLogoutUrl: 'https://169.254.169.254/' }, /^Back-channel logout: .*private/],
    ['web', { backchannelLogoutUrl: 'javascript:alert(1)' }, /^Back-channel logout: /],
    ['web', { name: ' ' }, /The name must have/],
    ['web', { name: 'x'.repeat(101) }, /The name must have/],
    ['web', { name: 'Wiki\nApproved' }, /The name must have/],
    ['web', { name: 'Wiki\u202e' }, /The name must have/],
  ] as const) {
    t.throws(() => checkSettings(kind, settings as never, PRODUCTION), { statusCode: 400, message: says })
  }
  t.strictSame(checkSettings('web', { name: ' Wiki ', pkceOptional: true, backchannelLogoutUrl: null }, PRODUCTION),
    { name: 'Wiki', pkceOptional: true, backchannelLogoutUrl: null })
  t.strictSame(checkSettings('machine', { name: 'Nightly', redirectUris: [] }, PRODUCTION),
    { name: 'Nightly', redirectUris: [] })
})
