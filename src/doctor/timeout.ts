/** For one answer of PostgreSQL, a provider or the front end: a busy machine is slow, which is no outage. */
export const ANSWER_TIMEOUT = 10_000
