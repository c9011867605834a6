import { AUTHENTICATION } from './chapters/authentication.ts'
import { CODING, LOGGING, WEBRTC } from './chapters/coding.ts'
import { CONFIGURATION, DATA } from './chapters/configuration.ts'
import { COMMUNICATION, CRYPTOGRAPHY } from './chapters/cryptography.ts'
import { ENCODING } from './chapters/encoding.ts'
import type { Chapter } from './entry.ts'
import { API, FILES, FRONT_END } from './chapters/front-end.ts'
import { OAUTH } from './chapters/oauth.ts'
import { AUTHORIZATION, SESSIONS, TOKENS } from './chapters/sessions.ts'
import { VALIDATION } from './chapters/validation.ts'

/** How each requirement is met, by id. */
export const MAP: Chapter = {
  ...ENCODING,
  ...VALIDATION,
  ...FRONT_END,
  ...API,
  ...FILES,
  ...AUTHENTICATION,
  ...SESSIONS,
  ...AUTHORIZATION,
  ...TOKENS,
  ...OAUTH,
  ...CRYPTOGRAPHY,
  ...COMMUNICATION,
  ...CONFIGURATION,
  ...DATA,
  ...CODING,
  ...LOGGING,
  ...WEBRTC,
}
