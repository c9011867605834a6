import { createHash } from 'node:crypto'
import { DEMO_USER } from './seed.ts'

export interface Person {
  id: number
  /** Provider B's username. */
  login: string
  name: string | null
  email: string | null
}

/** The last person has the email of the local demo user. */
export const PEOPLE: readonly Person[] = [
  { name: 'Ada Lovelace', email: 'ada@example.org' },
  { name: 'Grace Hopper', email: 'grace@example.net' },
  { name: DEMO_USER.name, email: DEMO_USER.email },
].map(createPerson)

/** The id is derived from the email unless it is given, so that the same email is the same person. */
export function createPerson (given: Partial<Person>): Person {
  const { name = null, email = null } = given
  const id = given.id ?? idOf(email ?? name ?? '')
  const login = given.login ?? (email?.split('@')[0]?.replace(/[^A-Za-z0-9]+/g, '-') || `user-${id}`)
  return { id, login, name, email }
}

function idOf (text: string): number {
  return createHash('sha256').update(text.toLowerCase()).digest().readUInt32BE()
}
