import type { Language } from './language.ts'
import type { Texts } from './texts.ts'

/** Codes of OAuth that mean the same to a person. */
const SAME_FOR_PEOPLE = new Map<string, ErrorCode>([
  ['unauthorized_client', 'invalid_client'],
  ['redirect_uri_mismatch', 'invalid_redirect_uri'],
  ['server_error', 'unavailable'],
  ['temporarily_unavailable', 'unavailable'],
])

/** Texts that are no errors. */
const OTHERS = ['operator', 'back']

type ErrorCode = Exclude<keyof Texts['oidc-error'], 'operator' | 'back'>

function errorCodeOf ({ 'oidc-error': known }: Texts, code: string): ErrorCode {
  if (!OTHERS.includes(code) && Object.hasOwn(known, code)) return code as ErrorCode
  if (/^unsupported_|_not_supported$/.test(code)) return 'unsupported'
  return SAME_FOR_PEOPLE.get(code) ?? 'invalid_request'
}

interface PageValues { title: string, [value: string]: unknown }

type Render = (name: string, language: Language, valuesOf: (texts: Texts) => PageValues, forms?: string) => string

interface LogoutQuestion {
  /** The path to which the form is sent. */
  action: string
  xsrf: string
  /** The name of the application that asks, if it is known. */
  application?: string
}

interface Failure {
  code: string
  description?: string
  /** An address of the application, for a link that names its host. */
  returnTo?: string
  host?: string
}

interface DeviceForm {
  xsrf: string
  /** The code in the link. */
  typed?: string
  /** What the provider says of the code, or of what followed. */
  problem?: string
}

interface DeviceQuestion {
  xsrf: string
  code: string
  application: string
  scopes: string[]
  /** With the words of the operator. */
  resources: Array<{ uri: string, description: string, scopes: Array<{ description: string }> }>
  /** Whether it gets the rights of an operator. */
  forOperators: boolean
  /** Where the sign-in was begun. */
  address: string
  agent: string
}

function deviceProblem ({ 'oidc-device': words }: Texts, problem: string): string {
  if (/^(NoCode|NotFound|Expired|AlreadyUsed)Error$/.test(problem)) return words.wrong
  return problem === 'AbortedError' ? words.refused : words.failed
}

/** The pages of the OpenID provider that work without scripts. */
export const openIdPages = (render: Render) => ({
  /** Asks whether the user wants to sign out. Afterwards, redirects lead to the application, wherever it is. */
  logout: (language: Language, { action, xsrf, application = '' }: LogoutQuestion): string =>
    render('oidc-logout', language, ({ logout: { title } }) => ({ title, action, xsrf, application }), 'anywhere'),

  /** `application`: the name of the one that asked for the sign-out. */
  signedOut: (language: Language, { application = '' }: { application?: string } = {}): string =>
    render('signed-out', language, ({ 'signed-out': { title } }) => ({ title, application })),

  /** Asks for the code that another device shows. */
  device: (language: Language, { xsrf, typed = '', problem }: DeviceForm): string =>
    render('device', language, texts => ({
      title: texts['oidc-device'].title, xsrf, typed, problem: problem && deviceProblem(texts, problem),
    }), "'self'"),

  /** Asks whether the user wants to sign in there. */
  deviceConfirm: (language: Language, asked: DeviceQuestion): string =>
    render('device-confirm', language, ({ 'oidc-device': { title } }) => ({ title, ...asked }), "'self'"),

  deviceDone: (language: Language, { application }: { application: string }): string =>
    render('device-done', language, ({ 'oidc-device': { title } }) => ({ title, application })),

  /** Tells the person what to do, and the operator the cause. */
  error: (language: Language, { code, description, returnTo, host }: Failure): string =>
    render('oidc-error', language, texts => {
      const known = errorCodeOf(texts, code)
      const cause = description ? `${code}: ${description}` : code
      const canRetry = known === 'unavailable'
      return { ...texts['oidc-error'][known], canRetry, cause, returnTo, host }
    }),
})
