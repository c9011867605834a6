import { RoleRequired } from './errors.ts'
import { hasRight, ROLE_NAMES, type Right, type Role } from './roles.ts'

/** Who made a change, as events record it. */
export const COMMAND_LINE = 'command line'
export const keyActor = (name: string) => `key ${name}`
/** The application, in its answer to a hook. */
export const hookActor = (hook: 'registration' | 'sign_in') => `hook ${hook}`
/** An administrator is `operator ada`, as in version 0.2, which knows no roles. Others are `support ada`. */
export const operatorActor = (username: string, role: Role) =>
  `${role === 'administrator' ? 'operator' : role} ${username}`

const TRUSTED = ROLE_NAMES.filter(role => hasRight(role, 'operators:write')).map(role => operatorActor('', role))

/** Whether these may change the account of an operator. Keys may not, since they could reset the factors. */
export const mayChangeOperators = (actor: string): boolean =>
  actor === COMMAND_LINE || TRUSTED.some(beginning => actor.startsWith(beginning))

/** For what depends on the body of a request. The scope of a key was checked before. */
export function requireRight (actor: string, right: Right) {
  const role = ROLE_NAMES.find(role => actor.startsWith(operatorActor('', role)))
  if (role && !hasRight(role, right)) throw new RoleRequired(role, right)
}
