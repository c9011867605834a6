import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Deed =
  | 'register' | 'resend' | 'verify' | 'login' | 'refresh' | 'logout'
  | 'change' | 'ask-reset' | 'reset' | 'end-others' | 'end-one' | 'csrf'

/** One request and its answer. Times are milliseconds since the run began. */
export interface Exchange {
  type: 'exchange'
  what: Deed
  from: number
  until: number
  /** Nothing when the answer was lost, or not waited for any longer. */
  status: number | null
  retryAfter?: string
  service: number
  person: string
  /** The client address that the service saw. */
  address: string
  /** The session and the token that were presented; their names, not their values. */
  family?: string
  token?: string
  /** The session and the token that came back. */
  newFamily?: string
  newToken?: string
  /** Tried, or proved as the current one. */
  password?: string
  newPassword?: string
  /** The session that was to end. */
  target?: string
  /** This browser has never signed in before. */
  newDevice?: boolean
  /** Asked when all faults were over, with everything that somebody may know. */
  audit?: boolean
}

/** A fault, from its beginning to its end. */
export interface Trouble { type: 'trouble', what: string, from: number, until: number }

/** A part with a memory of its own began a new life: what it had counted is gone. */
export interface Life { type: 'life', part: 'redis' | 'service', at: number }

/** A process ended that nobody killed, or said that it met an error that nobody caught. */
export interface Collapse { type: 'collapse', what: string, at: number }

/** What the mail server took. `job` stays the same when a mail is sent twice. */
export interface Mail { type: 'mail', kind: MailKind, reader: string, job: string, at: number }
export type MailKind = 'verify' | 'reset' | 'changed' | 'known' | 'new-sign-in'

/** Asked of PostgreSQL itself: how many live tokens a session has. */
export interface Census { type: 'census', at: number, live: Record<string, number> }

export type Entry = Exchange | Trouble | Life | Collapse | Mail | Census

/** Writes each entry as it happens, so that the history outlives whatever happens to us. */
export function createRecorder (name: string) {
  const dir = join(tmpdir(), 'gatehouse-faults')
  mkdirSync(dir, { recursive: true })
  const path = join(dir, `${name}-${process.pid}.jsonl`)
  rmSync(path, { force: true })
  const began = performance.now()

  return {
    path,
    now: () => Math.round((performance.now() - began) * 10) / 10,
    write: (entry: Entry) => appendFileSync(path, `${JSON.stringify(entry)}\n`),
    read: () => readHistory(path),
    forget: () => rmSync(path, { force: true }),
  }
}

export type Recorder = ReturnType<typeof createRecorder>

export function readHistory (path: string): Entry[] {
  return readFileSync(path, 'utf8').trim().split('\n').filter(Boolean).map(line => JSON.parse(line))
}
