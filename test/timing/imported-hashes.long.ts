// npm run test:timing: does the response time of a failed login reveal which accounts have an imported hash?
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { parseForeignHash } from '../../src/passwords/schemes/foreign-hash.ts'
import { createBrowser, createUser, hashOf, NO_LIMITS, PASSWORD } from '../support/browser.ts'
import { build } from '../support/build.ts'
import { KNOWN_HASHES } from '../support/import-export/known-hashes.ts'
import { measure } from '../support/timing/sampler.ts'

/** A difference of less than this share of the time counts as equal, on a machine that others use, too. */
const TOLERANCE = 0.25
/** Some two minutes on a busy machine. What is not decided by then is inconclusive. */
const MAX_ROUNDS = 400

const SLOW = `$pbkdf2-sha256$i=12000$c2FsdHNhbHRzYWx0MTIzNA$${'A'.repeat(43)}`
/** Its lanes are threads: on a busy machine it takes longer, compared with bcrypt, than on an idle one. */
const THREADS = KNOWN_HASHES.argon2id as string

const CASES: Record<string, { cost: number, hashes: Record<string, string> }> = {
  'cheaper than ours': {
    cost: 8,
    hashes: {
      'argon2id, two threads': THREADS,
      argon2i: KNOWN_HASHES.argon2i as string,
      scrypt: KNOWN_HASHES.scrypt as string,
      pbkdf2: KNOWN_HASHES['pbkdf2-sha256'] as string,
    },
  },
  'one that takes longer than ours': {
    cost: 5,
    hashes: { slow: SLOW, pbkdf2: KNOWN_HASHES['pbkdf2-sha256'] as string },
  },
}

async function setUp (t: Test, cost: number, hashes: Record<string, string>) {
  const { app, owner } = await build(t, { settings: { ...NO_LIMITS, BCRYPT_COST: String(cost) } })
  await app.importedHashes.note(app.database, Object.values(hashes).map(parseForeignHash))
  for (let time = 0; time < 5; time++) await app.prepareDecoys()
  const { verify } = app.passwords
  /** Requests come one after the other. */
  let planted: 'none' | 'unpadded' | 'double' = 'none'
  app.passwords.verify = async (password, hash, signal) => {
    if (planted === 'unpadded') return parseForeignHash(hash as string).verify(password)
    const began = performance.now()
    const verified = await verify(password, hash, signal)
    if (planted === 'double') await sleep(performance.now() - began)
    return verified
  }
  const browser = createBrowser(app)
  return {
    emailOf: async (hash: string) => (await createUser(owner, { password_hash: hash })).email,
    async login (username: string, leak: typeof planted = 'none') {
      planted = leak
      const { statusCode } = await browser.post('/login', { username, password: 'wr0ng-Guess-in-the-dark!' })
      planted = 'none'
      if (statusCode !== 401) throw new Error(`status ${statusCode}`)
    },
  }
}

for (const [title, { cost, hashes }] of Object.entries(CASES)) {
  t.test(`POST /login: equal time for imported hashes: ${title}`, async t => {
    const { emailOf, login } = await setUp(t, cost, hashes)
    const ours = await emailOf(await hashOf(PASSWORD, cost))
    const emails: Array<[name: string, email: string]> = []
    for (const [name, hash] of Object.entries(hashes)) emails.push([name, await emailOf(hash)])
    const cheap = emails.at(-1)?.[1] as string

    await measure(t, {
      reference: number => login(`nobody${number}@example.com`),
      classes: {
        ours: () => login(ours),
        ...Object.fromEntries(emails.map(([name, email]) => [name, () => login(email)])),
      },
      planted: {
        'twice as long (planted)': number => login(`nobody${number}@example.com`, 'double'),
        'the rest not made up for (planted)': () => login(cheap, 'unpadded'),
      },
      tolerance: TOLERANCE,
      maxRounds: MAX_ROUNDS,
    })
  })
}
