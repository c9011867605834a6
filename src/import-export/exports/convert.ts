/** Turns a user of another system into a row with our own fields. Throws RefusedRow. */
export type Convert = (user: Record<string, unknown>) => Record<string, unknown>
