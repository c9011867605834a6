import { createDevice, type Street } from './browser-session.ts'
import type { Random } from './random.ts'

const AT_ONCE = 20

/** Tries passwords, and asks for mails, from one address and as fast as it is let. */
export function createGuesser (street: Street, address: string, random: Random) {
  const device = createDevice(street, random, 'guesser')
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
  const askForMail = () =>
    device.send('ask-reset', { path: '/reset-password', address, body: { email: 'nobody@example.com' } })

  return {
    async step (victims: string[]) {
      const deed = random.chance(0.7) ? () => guess(random.pick(victims)) : askForMail
      await Promise.all(Array.from({ length: AT_ONCE }, deed))
    },
  }
}
