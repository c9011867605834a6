import t from 'tap'
import type { Entry, Exchange, Operation } from '../support/faults/history.ts'
import { INVARIANTS } from '../support/faults/invariants.ts'

/** Requests one second apart, each with a 200 after half a second, unless given otherwise. */
function history (...entries: Array<(Partial<Exchange> & { what: Operation }) | Exclude<Entry, Exchange>>): Entry[] {
  return entries.map((entry, index) =>
    'type' in entry && entry.type !== 'exchange'
      ? (entry as Entry)
      : ({
          type: 'exchange',
          from: index * 1_000,
          until: index * 1_000 + 500,
          status: 200,
          service: 0,
          person: 'anna',
          address: '10.0.0.1',
          ...entry,
        } as Exchange)
  )
}

const member = [
  { what: 'register', status: 202, newPassword: 'one' },
  { what: 'verify', status: 204 },
  { what: 'login', password: 'one', newFamily: 'f', newToken: 'a' },
] as const
const authorize = { what: 'app-authorize', family: 'f', grant: 'g' } as const
const exchange = { what: 'app-exchange', grant: 'g', newToken: 'g.0' } as const
const refreshed = (token: string, newToken: string) => ({ what: 'app-refresh', grant: 'g', token, newToken }) as const
const refused = { what: 'app-refresh', grant: 'g', token: 'g.0', status: 400, error: 'invalid_grant' } as const
const lost = { what: 'app-refresh', grant: 'g', token: 'g.0', status: null } as const
/** A user of an application. */
const user = [...member, authorize, exchange] as const
/** The same with offline access. */
const offline = [...member, { ...authorize, offline: true }, { ...exchange, offline: true }] as const
const proof = {
  what: 'change', family: 'f', password: 'one', newPassword: 'two', newFamily: 'h', newToken: 'b',
} as const
const starts = [{ type: 'start', part: 'redis', at: 0 }] as const
const mails = [{ type: 'mail', kind: 'verify', reader: 'anna@example.com', job: '1', at: 0 }] as const
const guesses = (count: number) =>
  Array.from(
    { length: count },
    () => ({ what: 'login', status: 401, password: 'guess', person: 'guesser', address: '192.0.2.1' }) as const
  )

/** For each invariant, histories that violate it, and histories that only seem to. */
const HISTORIES: Record<keyof typeof INVARIANTS, { bad: Record<string, Entry[]>, good: Record<string, Entry[]> }> = {
  acknowledgedPasswordsHold: {
    bad: {
      'an acknowledged registration is lost': history(...member, { what: 'login', status: 401, password: 'one' }),
      'an acknowledged change is lost': history(
        ...member,
        { what: 'change', status: 204, family: 'f', password: 'one', newPassword: 'two' },
        { what: 'login', password: 'one' }
      ),
      'an acknowledged reset is lost': history(
        ...member,
        { what: 'reset', status: 204, newPassword: 'two' },
        { what: 'login', status: 401, password: 'two' }
      ),
      'a change with the current password is refused': history(...member, {
        what: 'change',
        status: 403,
        family: 'f',
        password: 'one',
        newPassword: 'two',
      }),
      'a login with a password that was never set succeeds': history(...member, { what: 'login', password: 'three' }),
      'a change without a response takes effect after a reset': history(
        ...member,
        { what: 'change', status: null, family: 'f', password: 'one', newPassword: 'two' },
        { what: 'reset', status: 204, newPassword: 'three' },
        { what: 'login', password: 'two' }
      ),
    },
    good: {
      'a change without a response took effect': history(
        ...member,
        { what: 'change', status: null, family: 'f', password: 'one', newPassword: 'two' },
        { what: 'login', password: 'two' },
        { what: 'login', status: 401, password: 'one' }
      ),
      'a change refused by an outage did not take effect': history(
        ...member,
        { what: 'change', status: 503, family: 'f', password: 'one', newPassword: 'two' },
        { what: 'login', password: 'one' }
      ),
      'a login overlaps a change': history(
        ...member,
        { what: 'change', status: 204, family: 'f', password: 'one', newPassword: 'two' },
        { what: 'login', from: 3_200, password: 'one' }
      ),
    },
  },
  everyUserCanSignIn: {
    bad: {
      'after a change without a response, neither password works': history(
        ...member,
        { what: 'change', status: null, family: 'f', password: 'one', newPassword: 'two' },
        { what: 'login', status: 401, audit: true, password: 'one' },
        { what: 'login', status: 401, audit: true, password: 'two' }
      ),
    },
    good: {
      'after a change without a response, the new password works': history(
        ...member,
        { what: 'change', status: null, family: 'f', password: 'one', newPassword: 'two' },
        { what: 'login', status: 401, audit: true, password: 'one' },
        { what: 'login', audit: true, password: 'two' }
      ),
    },
  },
  secondFactorHolds: {
    bad: {
      'a password alone opens a session': history(
        ...member,
        { what: 'confirm-totp', family: 'f' },
        { what: 'login', password: 'one', newFamily: 'g', newToken: 'b' }
      ),
    },
    good: {
      'in two steps': history(
        ...member,
        { what: 'confirm-totp', family: 'f' },
        { what: 'login', status: 202, password: 'one' },
        { what: 'second-step', password: 'one', newFamily: 'g', newToken: 'b' }
      ),
      'the factor was not acknowledged': history(
        ...member,
        { what: 'confirm-totp', status: 503, family: 'f' },
        { what: 'login', password: 'one', newFamily: 'g', newToken: 'b' }
      ),
    },
  },
  acknowledgedSessionsHold: {
    bad: {
      'a new session does not exist': history(...member, { what: 'refresh', status: 401, family: 'f', token: 'a' }),
      'a refresh without a response cannot be repeated': history(
        ...member,
        { what: 'refresh', status: null, family: 'f', token: 'a' },
        { what: 'refresh', status: 401, family: 'f', token: 'a' }
      ),
      'an outage is answered with a 401': history(...member, {
        what: 'change',
        status: 401,
        family: 'f',
        password: 'one',
        newPassword: 'two',
      }),
      'a change ends the session that replaced the one that made it': history(
        ...member,
        { what: 'change', family: 'f', password: 'one', newPassword: 'two', newFamily: 'g', newToken: 'b' },
        { what: 'refresh', status: 401, family: 'g', token: 'b' }
      ),
    },
    good: {
      'a change replaces the session that made it': history(
        ...member,
        { what: 'change', family: 'f', password: 'one', newPassword: 'two', newFamily: 'g', newToken: 'b' },
        { what: 'refresh', status: 401, family: 'f', token: 'a' }
      ),
      'a logout without a response took effect': history(
        ...member,
        { what: 'logout', status: null, family: 'f' },
        { what: 'refresh', status: 401, family: 'f', token: 'a' }
      ),
      'a used token was presented again': history(
        ...member,
        { what: 'refresh', family: 'f', token: 'a', newToken: 'b' },
        { what: 'refresh', family: 'f', token: 'b', newToken: 'c' },
        { what: 'refresh', status: 401, family: 'f', token: 'a' },
        { what: 'refresh', status: 401, family: 'f', token: 'c' }
      ),
      'a refresh without a response was repeated after the grace period': history(
        ...member,
        { what: 'refresh', status: null, family: 'f', token: 'a' },
        { what: 'refresh', from: 40_000, until: 40_500, status: 401, family: 'f', token: 'a' }
      ),
    },
  },
  lostProofsSignNobodyOut: {
    bad: {
      'the browser that changed the password cannot go on': history(
        ...member,
        { what: 'change', status: null, family: 'f', password: 'one', newPassword: 'two' },
        { what: 'refresh', status: 401, family: 'f', token: 'a', hasProofKey: true }
      ),
    },
    good: {
      'it goes on with another session': history(
        ...member,
        { what: 'change', status: null, family: 'f', password: 'one', newPassword: 'two' },
        { what: 'refresh', status: 401, family: 'f', token: 'a' },
        { what: 'refresh', family: 'f', token: 'a', hasProofKey: true, newFamily: 'g', newToken: 'b' },
        { what: 'refresh', family: 'g', token: 'b', newFamily: 'g', newToken: 'c' }
      ),
      'the session was ended, too': history(
        ...member,
        { what: 'change', status: null, family: 'f', password: 'one', newPassword: 'two' },
        { what: 'end-others', status: 204, family: 'h' },
        { what: 'refresh', status: 401, family: 'f', token: 'a', hasProofKey: true }
      ),
    },
  },
  endedSessionsIssueNoTokens: {
    bad: {
      'a copy goes on after the session was replaced': history(
        ...member,
        { what: 'change', family: 'f', password: 'one', newPassword: 'two', newFamily: 'g', newToken: 'b' },
        { what: 'refresh', family: 'f', token: 'a', newFamily: 'g', newToken: 'b' }
      ),
      'after a logout': history(
        ...member,
        { what: 'logout', status: 204, family: 'f' },
        { what: 'refresh', family: 'f', token: 'a', newToken: 'b' }
      ),
      'after all other sessions were ended': history(
        ...member,
        { what: 'end-others', status: 204, family: 'g' },
        { what: 'refresh', family: 'f', token: 'a', newToken: 'b' }
      ),
      'after a reset': history(
        ...member,
        { what: 'reset', status: 204, newPassword: 'two' },
        { what: 'refresh', family: 'f', token: 'a', newToken: 'b' }
      ),
      'after another login in the same browser': history(
        ...member,
        { what: 'login', password: 'one', family: 'f', newFamily: 'g', newToken: 'x' },
        { what: 'refresh', family: 'f', token: 'a', newToken: 'b' }
      ),
      'after a refused refresh': history(
        ...member,
        { what: 'refresh', status: 401, family: 'f', token: 'a' },
        { what: 'refresh', family: 'f', token: 'a', newToken: 'b' }
      ),
      'session opened while its password was being replaced': history(
        ...member,
        { what: 'reset', status: 204, newPassword: 'two', until: 5_000 },
        { what: 'login', from: 4_000, until: 5_100, password: 'one', newFamily: 'g', newToken: 'x' },
        { what: 'refresh', from: 6_000, family: 'g', token: 'x', newToken: 'y' }
      ),
    },
    good: {
      'a refresh overlaps a logout': history(
        ...member,
        { what: 'logout', status: 204, family: 'f' },
        { what: 'refresh', from: 3_400, family: 'f', token: 'a', newToken: 'b' }
      ),
    },
  },
  endedSessionsPassNoChecks: {
    bad: {
      'two seconds after a logout': history(
        ...member,
        { what: 'logout', status: 204, family: 'f' },
        { what: 'check', status: 204, family: 'f', from: 6_000 }
      ),
      'after a logout, while another instance cannot read the revocations': history(
        ...member,
        { what: 'logout', status: 204, family: 'f' },
        { what: 'check', status: 204, family: 'f', from: 6_000 },
        { type: 'fault', what: 'stall on postgres of service 1', from: 4_000, until: 7_000 }
      ),
      'an instance wakes up': history(
        ...member,
        { what: 'logout', status: 204, family: 'f' },
        { what: 'check', status: 204, family: 'f', from: 6_000 },
        { type: 'fault', what: 'service 0 frozen', from: 3_000, until: 6_000 }
      ),
    },
    good: {
      'one second after a logout': history(
        ...member,
        { what: 'logout', status: 204, family: 'f' },
        { what: 'check', status: 204, family: 'f', from: 4_500 }
      ),
      'without the revocations': history(
        ...member,
        { what: 'logout', status: 204, family: 'f' },
        { what: 'check', status: 204, family: 'f', from: 6_000 },
        { type: 'fault', what: 'stall on postgres of service 0', from: 4_000, until: 7_000 }
      ),
      'a logout without a response': history(
        ...member,
        { what: 'logout', status: null, family: 'f' },
        { what: 'check', status: 204, family: 'f', from: 6_000 }
      ),
    },
  },
  oneSuccessorForEachToken: {
    bad: {
      'two tabs get two tokens': history(
        ...member,
        { what: 'refresh', family: 'f', token: 'a', newToken: 'b' },
        { what: 'refresh', family: 'f', token: 'a', newToken: 'c' }
      ),
    },
    good: {
      'two tabs get the same token': history(
        ...member,
        { what: 'refresh', family: 'f', token: 'a', newToken: 'b' },
        { what: 'refresh', family: 'f', token: 'a', newToken: 'b' }
      ),
    },
  },
  oneLiveTokenForEachSession: {
    bad: { 'two live tokens': [{ type: 'token-count', at: 0, live: { f: 1, g: 2 } }] },
    good: { 'one live token': [{ type: 'token-count', at: 0, live: { f: 1, g: 1 } }] },
  },
  everyPromisedMailIsSent: {
    bad: {
      'no mail after a registration': history(...member),
      'one job sends twice, another never': history(
        ...member,
        ...mails,
        { what: 'change', status: 204, password: 'one', newPassword: 'two' },
        { what: 'change', status: 204, password: 'two', newPassword: 'three' },
        { type: 'mail', kind: 'changed', reader: 'anna@example.com', job: '2', at: 0 },
        { type: 'mail', kind: 'changed', reader: 'anna@example.com', job: '2', at: 1 }
      ),
      'a promised link is not sent': history(...member, ...mails, { what: 'ask-reset', status: 202 }),
    },
    good: {
      'a request that was not acknowledged': history(...member, ...mails, { what: 'ask-reset', status: 503 }),
      'a mailbox that has had five mails': history(
        ...member,
        ...mails,
        ...Array.from({ length: 5 }, () => ({ what: 'resend', status: 202 }) as const),
        { what: 'ask-reset', status: 202 }
      ),
    },
  },
  noLimitIsPassed: {
    bad: {
      'a sixth guess is checked': history(...starts, ...guesses(6)),
      'a fourth reset is accepted': history(
        ...starts,
        ...Array.from({ length: 4 }, () => ({ what: 'ask-reset', status: 202, address: '192.0.2.1' }) as const)
      ),
      'Redis lost its counters after the sixth guess': history(...starts, ...guesses(6), {
        type: 'start',
        part: 'redis',
        at: 60_000,
      }),
    },
    good: {
      'five guesses are checked': history(...starts, ...guesses(5)),
      'Redis lost its counters': history(...starts, { type: 'start', part: 'redis', at: 1_000 }, ...guesses(10)),
    },
  },
  everyOutageIsNamed: {
    bad: {
      'an unnamed 500': history({ what: 'login', status: 500, password: 'one' }),
      'a 503 without Retry-After': history({ what: 'login', status: 503, password: 'one' }),
    },
    good: { 'a 503 with Retry-After': history({ what: 'login', status: 503, retryAfter: '5', password: 'one' }) },
  },
  noProcessEndsByItself: {
    bad: { 'a process ends': [{ type: 'crash', what: 'a service ended with 1', at: 0 }] },
    good: { 'no process ends': [] },
  },
  applicationsGetNoOtherErrors: {
    bad: {
      'an outage is an unknown client': history(...user, { ...refused, status: 401, error: 'invalid_client' }),
      'an outage is an unknown client with the usual status': history(...user, { ...refused, error: 'invalid_client' }),
      'an outage is an error for the application': history(
        ...member,
        { ...authorize, status: 303, error: 'server_error' }
      ),
    },
    good: {
      'an outage is named': history(...user, { ...refused, status: 503, error: undefined, retryAfter: '5' }),
      'an ended session': history(
        ...user,
        refused,
        { what: 'app-userinfo', grant: 'g', status: 401, error: 'invalid_token' },
        { what: 'app-introspect', grant: 'g', status: 401 },
        { ...authorize, status: 401 }
      ),
    },
  },
  acknowledgedGrantsHold: {
    bad: {
      'a new code is refused': history(...member, authorize, { ...exchange, newToken: undefined, status: 400 }),
      'a refresh without a response cannot be repeated': history(...user, lost, refused),
      'a new proof signs the application out': history(
        ...user,
        proof,
        { what: 'app-userinfo', grant: 'g', status: 401 }
      ),
      'the end of other sessions signs the application out': history(
        ...user,
        proof,
        { what: 'end-others', status: 204, family: 'h' },
        { what: 'app-introspect', grant: 'g', status: 401 }
      ),
      'a sign-out ends offline access': history(...offline, { what: 'logout', status: 204, family: 'f' }, refused),
      'a password change before the sign-in ends it': history(
        ...member,
        { ...proof, family: 'x', newFamily: 'y' },
        authorize,
        exchange,
        refused
      ),
    },
    good: {
      'a sign-out without a response took effect': history(
        ...user,
        { what: 'logout', status: null, family: 'f' },
        refused
      ),
      'a password change elsewhere': history(...user, { ...proof, family: 'x', newFamily: 'y' }, refused),
      'a used token of the browser was presented again': history(
        ...user,
        { what: 'refresh', family: 'f', token: 'a', newToken: 'b' },
        { what: 'refresh', family: 'f', token: 'b', newToken: 'c' },
        { what: 'refresh', status: 401, family: 'f', token: 'a' },
        refused
      ),
      'a password change ends offline access': history(...offline, proof, refused),
      'another login in the browser before the exchange, for offline access': history(
        ...member,
        { ...authorize, offline: true },
        { what: 'login', password: 'one', family: 'f', newFamily: 'x', newToken: 'x' },
        { ...exchange, offline: true, newToken: undefined, status: 400 }
      ),
      'an exchange without a response has used the code': history(
        ...member,
        authorize,
        { ...exchange, newToken: undefined, status: null },
        { ...exchange, newToken: undefined, status: 400 }
      ),
      'a used token was presented again': history(
        ...user,
        refreshed('g.0', 'g.1'),
        refreshed('g.1', 'g.2'),
        refused,
        { ...refused, token: 'g.2' }
      ),
      'a refresh without a response was repeated after the grace period': history(
        ...user,
        lost,
        { ...refused, from: 45_000, until: 45_500 }
      ),
    },
  },
  endedGrantsAreOfNoUse: {
    bad: {
      'after a sign-out': history(
        ...user,
        { what: 'logout', status: 204, family: 'f' },
        { what: 'app-userinfo', grant: 'g' }
      ),
      'after a sign-out of the session that replaced the one of the sign-in': history(
        ...user,
        proof,
        { what: 'logout', status: 204, family: 'h' },
        { what: 'app-introspect', grant: 'g' }
      ),
      'after another login in the same browser': history(
        ...user,
        { what: 'login', password: 'one', family: 'f', newFamily: 'x', newToken: 'x' },
        refreshed('g.0', 'g.1')
      ),
      'a code after the end of the session': history(
        ...member,
        authorize,
        { what: 'end-one', status: 204, family: 'x', target: 'f' },
        exchange
      ),
      'a code for offline access after a sign-out': history(
        ...member,
        { ...authorize, offline: true },
        { what: 'logout', status: 204, family: 'f' },
        { ...exchange, offline: true }
      ),
      'a code from an ended session': history(...member, { what: 'logout', status: 204, family: 'f' }, authorize),
      'offline access after the end of other sessions': history(
        ...offline,
        { what: 'end-others', status: 204, family: 'f' },
        refreshed('g.0', 'g.1')
      ),
      'offline access after a reset': history(
        ...offline,
        { what: 'reset', status: 204, newPassword: 'two' },
        { what: 'app-userinfo', grant: 'g' }
      ),
      'after the application revoked it': history(
        ...user,
        { what: 'app-revoke', grant: 'g' },
        refreshed('g.0', 'g.1')
      ),
      'after a refusal': history(...user, refused, { what: 'app-introspect', grant: 'g' }),
    },
    good: {
      'a refresh overlaps a sign-out': history(
        ...user,
        { what: 'logout', status: 204, family: 'f' },
        { ...refreshed('g.0', 'g.1'), from: 5_400 }
      ),
      'after a new proof': history(...user, proof, refreshed('g.0', 'g.1')),
      'offline access after a sign-out': history(
        ...offline,
        { what: 'logout', status: 204, family: 'f' },
        refreshed('g.0', 'g.1')
      ),
      'a sign-out without a response': history(
        ...user,
        { what: 'logout', status: null, family: 'f' },
        { what: 'app-userinfo', grant: 'g' }
      ),
    },
  },
  oneSuccessorForEachApplicationToken: {
    bad: {
      'two refreshes at once get two tokens': history(...user, refreshed('g.0', 'g.1'), refreshed('g.0', 'g.2')),
    },
    good: {
      'two refreshes at once get the same token': history(...user, refreshed('g.0', 'g.1'), refreshed('g.0', 'g.1')),
    },
  },
}

t.strictSame(Object.keys(HISTORIES), Object.keys(INVARIANTS), 'every invariant has histories')

for (const [name, { bad, good }] of Object.entries(HISTORIES)) {
  const invariant = INVARIANTS[name] as (typeof INVARIANTS)[string]
  t.test(name, async t => {
    for (const [what, history] of Object.entries(bad)) t.not(invariant(history).length, 0, `found: ${what}`)
    for (const [what, history] of Object.entries(good)) t.strictSame(invariant(history), [], `accepted: ${what}`)
  })
}
