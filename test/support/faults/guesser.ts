import { createBrowserSession, type Recording } from './browser-session.ts'
import type { Random } from './random.ts'

const CONCURRENCY = 20

/** An attacker who tries passwords and requests mails from one address, in bursts. */
export function createGuesser (recording: Recording, address: string, random: Random) {
  const device = createBrowserSession(recording, random, 'guesser')
  let guesses = 0

  const guess = (victim: string) =>
    device.send(
      'login',
      {
        path: '/login',
        address,
        body: { username: victim, password: `gu3ss-In-the-dark-${++guesses}` },
      },
      { password: `guess ${guesses}` }
    )
  const requestMail = () =>
    device.send('ask-reset', { path: '/reset-password', address, body: { email: 'nobody@example.com' } })

  return {
    async step (victims: string[]) {
      const attempt = random.chance(0.7) ? () => guess(random.pick(victims)) : requestMail
      await Promise.all(Array.from({ length: CONCURRENCY }, attempt))
    },
  }
}
