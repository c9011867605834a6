import type { Config } from '../config.ts'
import { ofAddress, ofApplication, ofLogin, ofSession, ofUser } from './keys.ts'

interface Figures {
  /** As operators see it. Limits with the same name count for different subjects. */
  name: string
  /** What it limits, for the page of operators: "Login from 203.0.113.7". */
  title: string
  /** What it counts, for the page of operators. */
  counts: string
  max (config: Config): number
  windowSeconds: number
}

const QUARTER_HOUR = 900
const HOUR = 3_600

const LOGIN: Figures = {
  name: 'login',
  title: 'Login',
  counts: 'Failed sign-ins of a client',
  max: config => config.LIMIT_LOGIN_MAX,
  windowSeconds: QUARTER_HOUR,
}

const PASSKEY: Figures = { ...LOGIN, name: 'passkey', title: 'Passkey', counts: 'Failed sign-ins with a passkey' }

const ACCOUNT: Figures = {
  name: 'account',
  title: 'Login',
  counts: 'Failed sign-ins to a login name',
  max: config => config.LIMIT_ACCOUNT_MAX,
  windowSeconds: HOUR,
}

/** All known browsers of one account together may fail four times as often as strangers. */
const KNOWN_BROWSERS: Figures = { ...ACCOUNT, max: config => 4 * config.LIMIT_ACCOUNT_MAX }

/** Each costs a hash and opens a session: this stops a program in a loop and is far above what people need. */
const SIGN_INS: Figures = {
  name: 'sign-ins',
  title: 'Sign-ins',
  counts: 'Correct passwords at the sign-in to a login name',
  max: config => Math.max(200, config.LIMIT_GENERAL_MAX),
  windowSeconds: QUARTER_HOUR,
}

/** Wrong codes: at the login for each account, and afterwards for each session. */
const CODES: Figures = {
  name: 'codes',
  title: 'Codes',
  counts: 'Wrong codes of an account',
  max: () => 10,
  windowSeconds: HOUR,
}

/** A code has 34 bits and ten minutes. */
const DEVICE_CODES: Figures = {
  ...CODES,
  name: 'device-codes',
  title: 'Codes of devices',
  counts: 'Wrong codes of devices',
}

/** A code has 20 bits. Each account has a limit of its own, in the database: see records/accounts/mail-codes.ts. */
const MAIL_CODES: Figures = {
  ...LOGIN,
  name: 'mail-codes',
  title: 'Codes in mails',
  counts: 'Wrong codes and links of sign-in mails',
}

/** By the address as typed, also without an account. A browser that has signed in to the account has its own. */
const SIGN_IN_MAILS: Figures = {
  name: 'sign-in-mails',
  title: 'Sign-in mails',
  counts: 'Sign-in mails to a mailbox',
  max: () => 5,
  windowSeconds: HOUR,
}

const GENERAL: Figures = {
  name: 'general',
  title: 'Requests',
  counts: 'Requests',
  max: config => config.LIMIT_GENERAL_MAX,
  windowSeconds: QUARTER_HOUR,
}

/** Thirty times as many: an application asks for these with its own requests. */
const READING: Figures = {
  ...GENERAL,
  name: 'reading',
  title: 'Reads',
  counts: 'Reads of the own account, and tokens',
  max: config => 30 * config.LIMIT_GENERAL_MAX,
}

/** Browsers on their way to an application and back, of all users behind one address. */
const OPENID: Figures = {
  ...READING,
  name: 'openid',
  title: 'Visits to the OpenID provider',
  counts: 'Visits of browsers to the OpenID provider',
}

/** One address can be that of an application with many users. */
const APPLICATIONS: Figures = {
  ...GENERAL,
  name: 'applications',
  title: 'Token requests',
  counts: 'Requests of applications for tokens',
  max: config => 300 * config.LIMIT_GENERAL_MAX,
}

/** Many people with an MCP client can share an address. All addresses together: see MAX_WAITING. */
const REGISTRATIONS: Figures = {
  ...GENERAL,
  name: 'registrations',
  title: 'Registrations of applications',
  counts: 'Applications that registered themselves, and reads of their documents',
  windowSeconds: HOUR,
}

/** A secret has 256 bits: this bounds the load and the log, not the guesses. */
const WRONG_CLIENTS: Figures = {
  name: 'wrong-clients',
  title: 'Wrong client secrets',
  counts: 'Requests of applications with a wrong client id or secret',
  max: () => 50,
  windowSeconds: QUARTER_HOUR,
}

/** A machine keeps its token for five minutes: this stops one that asks for each request anew. */
const MACHINES: Figures = {
  ...READING,
  name: 'machines',
  title: 'Machine tokens',
  counts: 'Tokens of a machine',
}

const SENSITIVE: Figures = {
  name: 'sensitive',
  title: 'Password resets',
  counts: 'Requests for a password reset',
  max: config => config.LIMIT_SENSITIVE_MAX,
  windowSeconds: HOUR,
}

/** An API key has 256 bits: this bounds the load and the log, not the guesses. */
const WRONG_API_KEYS: Figures = {
  name: 'operator-keys',
  title: 'Wrong API keys',
  counts: 'Wrong keys of the operator API',
  max: () => 20,
  windowSeconds: QUARTER_HOUR,
}

/** On their own listener, operators have counters of their own: guesses on the public port must not lock them out. */
const atOperators = (figures: Figures): Figures => ({
  ...figures,
  name: `operator-${figures.name}`,
  title: `Operator ${figures.title.toLowerCase()}`,
  counts: `${figures.counts}, on the listener for operators`,
})

/** Every limit, by the beginning of the keys under which it counts. */
export const LIMITS = {
  login: ofAddress('login-attempts:', LOGIN),
  /** A browser that has signed in to the account before counts for itself, not for its address. */
  knownBrowser: ofUser('login-attempts:browser:', LOGIN),
  account: ofLogin('account-attempts:', ACCOUNT),
  /** All known browsers of an account together. */
  knownBrowsers: ofUser('account-attempts:known-browsers:', KNOWN_BROWSERS),
  /** Each known browser counts for itself: a stranger with the password does not lock the owner out. */
  signIns: ofLogin('sign-ins:', SIGN_INS),
  mailCodes: ofAddress('mail-code-attempts:', MAIL_CODES),
  signInMails: ofLogin('sign-in-mails:', SIGN_IN_MAILS),
  codes: ofUser('codes:', CODES),
  codesOfSession: ofSession('codes:session:', CODES),
  sensitive: ofAddress('sensitive:', SENSITIVE),
  anonymous: ofAddress('general:', GENERAL),
  general: ofUser('general:user:', GENERAL),
  reading: ofUser('reading:user:', READING),
  session: ofSession('general:session:', GENERAL),
  passkey: ofAddress('passkey-attempts:', PASSKEY),
  operatorLogin: ofAddress('operator-login-attempts:', atOperators(LOGIN)),
  operatorAccount: ofLogin('operator-account-attempts:', atOperators(ACCOUNT)),
  operatorSignIns: ofLogin('operator-sign-ins:', atOperators(SIGN_INS)),
  operatorPasskey: ofAddress('operator-passkey-attempts:', atOperators(PASSKEY)),
  operatorCodes: ofUser('operator-codes:', atOperators(CODES)),
  wrongApiKeys: ofAddress('operator-keys:', WRONG_API_KEYS),
  openid: ofAddress('openid:', OPENID),
  applications: ofAddress('applications:', APPLICATIONS),
  registrations: ofAddress('registrations:', REGISTRATIONS),
  wrongClients: ofAddress('wrong-clients:', WRONG_CLIENTS),
  machines: ofApplication('machines:', MACHINES),
  deviceCodes: ofAddress('device-codes:', DEVICE_CODES),
}

export type Limit = typeof LIMITS[keyof typeof LIMITS]

/** The limits on guesses at a password, by listener. */
export const PASSWORD_LIMITS = {
  public: { login: LIMITS.login, account: LIMITS.account, signIns: LIMITS.signIns, passkey: LIMITS.passkey },
  operators: {
    login: LIMITS.operatorLogin,
    account: LIMITS.operatorAccount,
    signIns: LIMITS.operatorSignIns,
    passkey: LIMITS.operatorPasskey,
  },
}

/** The maximum and the window with these settings. */
export const figuresOf = ({ max, windowSeconds }: Limit, config: Config) => ({ max: max(config), windowSeconds })

const LONGEST_PREFIX_FIRST = Object.values(LIMITS).toSorted((a, b) => b.prefix.length - a.prefix.length)

/** The limit that counts under this key. Undefined for a counter that is no limit. */
export const limitOfKey = (key: string): Limit | undefined =>
  LONGEST_PREFIX_FIRST.find(({ prefix }) => key.startsWith(prefix))
