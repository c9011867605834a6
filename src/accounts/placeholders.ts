import { randomUUID } from 'node:crypto'

const DOMAIN = 'stand-in.invalid'

/** The address of an account that only keeps a username from being taken: no person knows of it. */
export const placeholderEmail = (): string => `${randomUUID()}@${DOMAIN}`

/** Whether a row of `users` is such an account, in SQL. */
export const IS_PLACEHOLDER = `email LIKE '%@${DOMAIN}'`
