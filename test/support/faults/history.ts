import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Operation =
  | 'register' | 'resend' | 'verify' | 'login' | 'refresh' | 'logout'
  | 'change' | 'ask-reset' | 'reset' | 'end-others' | 'end-one' | 'csrf' | 'check'
  | 'begin-totp' | 'confirm-totp' | 'second-step'
  | 'app-authorize' | 'app-exchange' | 'app-refresh' | 'app-userinfo' | 'app-introspect' | 'app-revoke'

/** One request and its response. Times are milliseconds since the start of the run. */
export interface Exchange {
  type: 'exchange'
  what: Operation
  from: number
  until: number
  /**
   * Null when the response was lost or timed out. An authorization is a 200 if it leads to a code, and a 401 if the
   * user must sign in; the introspection of a token that is not active is a 401.
   */
  status: number | null
  retryAfter?: string
  service: number
  person: string
  /** The client address that the service saw. */
  address: string
  /** The ids of the session and the token that were presented. */
  family?: string
  token?: string
  /** The ids of the session and the token that were issued. */
  newFamily?: string
  newToken?: string
  /** The browser presented the key of a proof whose response it did not get. */
  hasProofKey?: boolean
  /** The password that was tried, or given as the current one. */
  password?: string
  newPassword?: string
  /** The session to end. */
  target?: string
  /** This browser has not signed in before. */
  newDevice?: boolean
  /** The sign-in to an application that this is part of, and whether it has a session of its own. */
  grant?: string
  offline?: boolean
  /** The error of OAuth. */
  error?: string
  /** Part of the audit after the last fault. */
  audit?: boolean
}

/** An injected fault. */
export interface Fault { type: 'fault', what: string, from: number, until: number }

/** Redis or an instance was started: its counters are empty. */
interface PartStart { type: 'start', part: 'redis' | 'service', at: number }

/** A process ended without being killed, or logged an uncaught error. */
interface Crash { type: 'crash', what: string, at: number }

/** A mail that the mail server accepted. `job` stays the same when a mail is sent twice. */
export interface Mail { type: 'mail', kind: MailKind, reader: string, job: string, at: number }
export type MailKind = 'verify' | 'reset' | 'changed' | 'known' | 'new-sign-in' | 'factors'

/** The number of live tokens of each session, counted by PostgreSQL. */
interface TokenCount { type: 'token-count', at: number, live: Record<string, number> }

export type Entry = Exchange | Fault | PartStart | Crash | Mail | TokenCount

/** Writes each entry to a file at once, so that the history survives a crash of the test. */
export function createRecorder (name: string) {
  const dir = join(tmpdir(), 'gatehouse-faults')
  mkdirSync(dir, { recursive: true })
  const path = join(dir, `${name}-${process.pid}.jsonl`)
  rmSync(path, { force: true })
  const start = performance.now()

  return {
    path,
    now: () => Math.round((performance.now() - start) * 10) / 10,
    write: (entry: Entry) => appendFileSync(path, `${JSON.stringify(entry)}\n`),
    read: () => readHistory(path),
    remove: () => rmSync(path, { force: true }),
  }
}

export type Recorder = ReturnType<typeof createRecorder>

function readHistory (path: string): Entry[] {
  return readFileSync(path, 'utf8').trim().split('\n').filter(Boolean).map(line => JSON.parse(line))
}
