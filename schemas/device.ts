import { Type } from '@sinclair/typebox'
import { InvalidRegistration } from '../src/sessions/errors.ts'
import { CHANGE_FAILURES, errorResponse, failures, response } from './common.ts'
import { OPTIONAL_SESSION, PUBLIC } from './documentation.ts'
import { TOO_MANY_REQUESTS } from './limits.ts'

const Rule = Type.Object({ type: Type.String(), domain: Type.String(), path: Type.String() })
const Credential = Type.Object({ type: Type.String(), name: Type.String(), attributes: Type.String() })

const DeviceSession = Type.Object({
  session_identifier: Type.String(),
  refresh_url: Type.String(),
  scope: Type.Object({ include_site: Type.Boolean(), scope_specification: Type.Array(Rule) }),
  credentials: Type.Array(Credential),
  allowed_refresh_initiators: Type.Array(Type.String()),
}, {
  title: 'DeviceSession',
  examples: [{
    session_identifier: 'eyJzaWQiOiIwZDljMmY1ZSJ9.~device_session.kXz…',
    refresh_url: '/api/auth/device/proof',
    scope: {
      include_site: false,
      scope_specification: [
        { type: 'exclude', domain: 'auth.example.com', path: '/' },
        { type: 'include', domain: 'auth.example.com', path: '/api/auth/refresh' },
      ],
    },
    credentials: [{
      type: 'cookie', name: 'device_proof', attributes: 'Path=/; Secure; HttpOnly; SameSite=Strict',
    }],
    allowed_refresh_initiators: [],
  }],
})

const DOCUMENT = 'https://w3c.github.io/webappsec-dbsc/'

export const RegisterDeviceSchema = {
  summary: 'Bind a new session to the device',
  description: 'Browsers with [Device Bound Session Credentials](' + DOCUMENT + ') send this request by themselves, ' +
    'after a sign-in whose response has the header `Secure-Session-Registration`. Applications have no use for it.',
  tags: ['Session'],
  security: PUBLIC,
  response: {
    200: response('The session is bound. The body is for the browser.', DeviceSession),
    ...CHANGE_FAILURES,
    403: errorResponse(
      'The signature is not valid, or the session was not just opened, or has a key already.',
      new InvalidRegistration()
    ),
    ...failures(503),
    ...TOO_MANY_REQUESTS,
  },
}

export const ProveDeviceSchema = {
  summary: 'Prove the key of the device',
  description: 'Browsers send this request by themselves before they refresh a bound session. Makes no database query.',
  tags: ['Session'],
  security: OPTIONAL_SESSION,
  response: {
    200: Type.Unsafe<{ continue: boolean } | undefined>(response(
      'Proved: the cookie `device_proof` was set. With a body, the browser should forget the key.',
      Type.Object({ continue: Type.Boolean() }, { examples: [{ continue: false }] })
    )),
    403: response('The signature is missing or not valid. The header has the challenge to sign.', Type.Null(), {
      'secure-session-challenge': Type.String({ description: 'The challenge, and the session that it is for' }),
    }),
  },
}
