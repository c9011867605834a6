import t from 'tap'
import type { Deed, Entry, Exchange } from '../support/faults/history.ts'
import { INVARIANTS } from '../support/faults/invariants.ts'

/** Requests one second apart, each answered after half a second, but for what is given. */
function story (...chapters: Array<(Partial<Exchange> & { what: Deed }) | Exclude<Entry, Exchange>>): Entry[] {
  return chapters.map((chapter, index) =>
    'type' in chapter && chapter.type !== 'exchange'
      ? (chapter as Entry)
      : ({
          type: 'exchange',
          from: index * 1_000,
          until: index * 1_000 + 500,
          status: 200,
          service: 0,
          person: 'anna',
          address: '10.0.0.1',
          ...chapter,
        } as Exchange)
  )
}

const member = [
  { what: 'register', status: 202, newPassword: 'one' },
  { what: 'verify', status: 204 },
  { what: 'login', password: 'one', newFamily: 'f', newToken: 'a' },
] as const
const lives = [{ type: 'life', part: 'redis', at: 0 }] as const
const mails = [{ type: 'mail', kind: 'verify', reader: 'anna@example.com', job: '1', at: 0 }] as const
const guesses = (count: number) =>
  Array.from(
    { length: count },
    () => ({ what: 'login', status: 401, password: 'guess', person: 'guesser', address: '192.0.2.1' }) as const
  )

/** For each invariant, what breaks it, and what only looks as if it did. */
const STORIES: Record<keyof typeof INVARIANTS, { bad: Record<string, Entry[]>, good: Record<string, Entry[]> }> = {
  acknowledgedPasswordsHold: {
    bad: {
      'an acknowledged registration is lost': story(...member, { what: 'login', status: 401, password: 'one' }),
      'an acknowledged change is lost': story(
        ...member,
        { what: 'change', status: 204, family: 'f', password: 'one', newPassword: 'two' },
        { what: 'login', password: 'one' }
      ),
      'an acknowledged reset is lost': story(
        ...member,
        { what: 'reset', status: 204, newPassword: 'two' },
        { what: 'login', status: 401, password: 'two' }
      ),
      'the current password is not taken for a change': story(...member, {
        what: 'change',
        status: 403,
        family: 'f',
        password: 'one',
        newPassword: 'two',
      }),
      'somebody gets in with a password that was never set': story(...member, { what: 'login', password: 'three' }),
      'a lost change comes back after a reset': story(
        ...member,
        { what: 'change', status: null, family: 'f', password: 'one', newPassword: 'two' },
        { what: 'reset', status: 204, newPassword: 'three' },
        { what: 'login', password: 'two' }
      ),
    },
    good: {
      'a change whose answer was lost happened': story(
        ...member,
        { what: 'change', status: null, family: 'f', password: 'one', newPassword: 'two' },
        { what: 'login', password: 'two' },
        { what: 'login', status: 401, password: 'one' }
      ),
      'or did not': story(
        ...member,
        { what: 'change', status: 503, family: 'f', password: 'one', newPassword: 'two' },
        { what: 'login', password: 'one' }
      ),
      'a login overlaps a change': story(
        ...member,
        { what: 'change', status: 204, family: 'f', password: 'one', newPassword: 'two' },
        { what: 'login', from: 3_200, password: 'one' }
      ),
    },
  },
  everyMemberCanEnter: {
    bad: {
      'two lost changes, and none of three passwords works': story(
        ...member,
        { what: 'change', status: null, family: 'f', password: 'one', newPassword: 'two' },
        { what: 'login', status: 401, audit: true, password: 'one' },
        { what: 'login', status: 401, audit: true, password: 'two' }
      ),
    },
    good: {
      'one of them does': story(
        ...member,
        { what: 'change', status: null, family: 'f', password: 'one', newPassword: 'two' },
        { what: 'login', status: 401, audit: true, password: 'one' },
        { what: 'login', audit: true, password: 'two' }
      ),
    },
  },
  acknowledgedSessionsHold: {
    bad: {
      'a new session is not there': story(...member, { what: 'refresh', status: 401, family: 'f', token: 'a' }),
      'a token whose trade was lost is not traded again': story(
        ...member,
        { what: 'refresh', status: null, family: 'f', token: 'a' },
        { what: 'refresh', status: 401, family: 'f', token: 'a' }
      ),
      'an outage is told as signed out': story(...member, {
        what: 'change',
        status: 401,
        family: 'f',
        password: 'one',
        newPassword: 'two',
      }),
      'a change ends the session that it came from': story(
        ...member,
        { what: 'change', status: 204, family: 'f', password: 'one', newPassword: 'two' },
        { what: 'refresh', status: 401, family: 'f', token: 'a' }
      ),
    },
    good: {
      'a logout whose answer was lost happened': story(
        ...member,
        { what: 'logout', status: null, family: 'f' },
        { what: 'refresh', status: 401, family: 'f', token: 'a' }
      ),
      'a used token came back': story(
        ...member,
        { what: 'refresh', family: 'f', token: 'a', newToken: 'b' },
        { what: 'refresh', family: 'f', token: 'b', newToken: 'c' },
        { what: 'refresh', status: 401, family: 'f', token: 'a' },
        { what: 'refresh', status: 401, family: 'f', token: 'c' }
      ),
      'a lost trade was tried again too late': story(
        ...member,
        { what: 'refresh', status: null, family: 'f', token: 'a' },
        { what: 'refresh', from: 40_000, until: 40_500, status: 401, family: 'f', token: 'a' }
      ),
    },
  },
  nothingEndedMints: {
    bad: {
      'after a logout': story(
        ...member,
        { what: 'logout', status: 204, family: 'f' },
        { what: 'refresh', family: 'f', token: 'a', newToken: 'b' }
      ),
      'after all others were ended': story(
        ...member,
        { what: 'end-others', status: 204, family: 'g' },
        { what: 'refresh', family: 'f', token: 'a', newToken: 'b' }
      ),
      'after a reset': story(
        ...member,
        { what: 'reset', status: 204, newPassword: 'two' },
        { what: 'refresh', family: 'f', token: 'a', newToken: 'b' }
      ),
      'after another login in the same browser': story(
        ...member,
        { what: 'login', password: 'one', family: 'f', newFamily: 'g', newToken: 'x' },
        { what: 'refresh', family: 'f', token: 'a', newToken: 'b' }
      ),
      'after it was refused': story(
        ...member,
        { what: 'refresh', status: 401, family: 'f', token: 'a' },
        { what: 'refresh', family: 'f', token: 'a', newToken: 'b' }
      ),
      'begun while its password was replaced': story(
        ...member,
        { what: 'reset', status: 204, newPassword: 'two', until: 5_000 },
        { what: 'login', from: 4_000, until: 5_100, password: 'one', newFamily: 'g', newToken: 'x' },
        { what: 'refresh', from: 6_000, family: 'g', token: 'x', newToken: 'y' }
      ),
    },
    good: {
      'a refresh overlaps a logout': story(
        ...member,
        { what: 'logout', status: 204, family: 'f' },
        { what: 'refresh', from: 3_400, family: 'f', token: 'a', newToken: 'b' }
      ),
    },
  },
  oneSuccessorForEachToken: {
    bad: {
      'two tabs get two': story(
        ...member,
        { what: 'refresh', family: 'f', token: 'a', newToken: 'b' },
        { what: 'refresh', family: 'f', token: 'a', newToken: 'c' }
      ),
    },
    good: {
      'two tabs get the same': story(
        ...member,
        { what: 'refresh', family: 'f', token: 'a', newToken: 'b' },
        { what: 'refresh', family: 'f', token: 'a', newToken: 'b' }
      ),
    },
  },
  oneLiveTokenForEachSession: {
    bad: { two: [{ type: 'census', at: 0, live: { f: 1, g: 2 } }] },
    good: { one: [{ type: 'census', at: 0, live: { f: 1, g: 1 } }] },
  },
  everyPromisedMailIsSent: {
    bad: {
      'no mail after a registration': story(...member),
      'one job sends twice, and another never': story(
        ...member,
        ...mails,
        { what: 'change', status: 204, password: 'one', newPassword: 'two' },
        { what: 'change', status: 204, password: 'two', newPassword: 'three' },
        { type: 'mail', kind: 'changed', reader: 'anna@example.com', job: '2', at: 0 },
        { type: 'mail', kind: 'changed', reader: 'anna@example.com', job: '2', at: 1 }
      ),
      'a link that was promised': story(...member, ...mails, { what: 'ask-reset', status: 202 }),
    },
    good: {
      'what was not acknowledged was not promised': story(...member, ...mails, { what: 'ask-reset', status: 503 }),
      'a mailbox that has had five': story(
        ...member,
        ...mails,
        ...Array.from({ length: 5 }, () => ({ what: 'resend', status: 202 }) as const),
        { what: 'ask-reset', status: 202 }
      ),
    },
  },
  noLimitIsPassed: {
    bad: {
      'a sixth guess is checked': story(...lives, ...guesses(6)),
      'a fourth reset is taken': story(
        ...lives,
        ...Array.from({ length: 4 }, () => ({ what: 'ask-reset', status: 202, address: '192.0.2.1' }) as const)
      ),
      'Redis forgot too late to excuse it': story(...lives, ...guesses(6), {
        type: 'life',
        part: 'redis',
        at: 60_000,
      }),
    },
    good: {
      'five are': story(...lives, ...guesses(5)),
      'Redis forgot': story(...lives, { type: 'life', part: 'redis', at: 1_000 }, ...guesses(10)),
    },
  },
  everyFailureIsNamed: {
    bad: {
      'an unnamed 500': story({ what: 'login', status: 500, password: 'one' }),
      'a 503 that does not say when': story({ what: 'login', status: 503, password: 'one' }),
    },
    good: { 'a 503 that does': story({ what: 'login', status: 503, retryAfter: '5', password: 'one' }) },
  },
  noProcessEndsByItself: {
    bad: { 'one does': [{ type: 'collapse', what: 'a service ended with 1', at: 0 }] },
    good: { 'none does': [] },
  },
}

t.strictSame(Object.keys(STORIES), Object.keys(INVARIANTS), 'each invariant has its stories')

for (const [name, { bad, good }] of Object.entries(STORIES)) {
  const invariant = INVARIANTS[name] as (typeof INVARIANTS)[string]
  t.test(name, async t => {
    for (const [what, history] of Object.entries(bad)) t.not(invariant(history).length, 0, `found: ${what}`)
    for (const [what, history] of Object.entries(good)) t.strictSame(invariant(history), [], `forgiven: ${what}`)
  })
}
