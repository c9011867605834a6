import { SCOPE_WORDS, SCOPES, type Scope } from './scopes.ts'

interface OperatorRight {
  words: string
  /** The scope with which a key may do it, too. */
  key?: Scope
  /** Only with a session on the page, and a fresh proof of identity: keys and the command line have none. */
  needsProof?: boolean
}

/** What roles tell apart and scopes do not. */
const OPERATOR_RIGHTS = {
  // The one who chooses the address can reset the password through it, and applications trust a confirmed one.
  'users:email': { words: 'Change or confirm the email address of an account', key: 'users:write' },
  // The one who knows the password of an account has it, also when its owner confirms the address later.
  'users:password': { words: 'Create an account with a password or a hash', key: 'users:write' },
  // An application that knows a user by the external id gives the roles of that user.
  'users:data': {
    words: 'Set the external id, and what applications keep about a user, such as roles',
    key: 'users:write',
  },
  'users:export': { words: 'Download all data of an account', needsProof: true },
  'users:delete': { words: 'Delete an account', key: 'users:write' },
  'users:bulk': { words: 'Change or delete all accounts that a search finds', key: 'users:write' },
  'operators:write': { words: 'Change the accounts of operators, and clear the limits of their logins' },
} as const satisfies Record<string, OperatorRight>

export type Right = Scope | keyof typeof OPERATOR_RIGHTS

const SCOPE_RIGHTS = Object.fromEntries(SCOPES.map(key => [key, { words: SCOPE_WORDS[key], key }]))

/** Everything that can be done through the operator API. */
export const RIGHTS = { ...SCOPE_RIGHTS, ...OPERATOR_RIGHTS } as Record<Right, OperatorRight>

const ALL = Object.keys(RIGHTS) as Right[]
const READ = ALL.filter(right => right.endsWith(':read'))

/** What operators may do. docs/operators.md has the same table. */
export const ROLES = {
  viewer: READ,
  support: [...READ, 'users:write', 'limits:write', 'users:export'],
  administrator: ALL,
} satisfies Record<string, Right[]>

export type Role = keyof typeof ROLES

export const ROLE_NAMES = Object.keys(ROLES) as Role[]

export const isRole = (text: string): text is Role => ROLE_NAMES.some(role => role === text)

export const hasRight = (role: Role, right: Right): boolean => (ROLES[role] as Right[]).includes(right)
