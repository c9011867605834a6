import { eventually } from '../process.ts'
import type { ReceivedMail } from '../smtp.ts'
import { createDevice, type Device, type Street } from './browser-session.ts'
import type { Random } from './random.ts'

const DEVICES = 3
/** As many mails as a mailbox gets in an hour: beyond that a link may not come. */
const MOST_LINKS = 2
const MAIL_PATIENCE = 4_000

/** What people do, and how often. */
const HABITS = {
  refresh: 30,
  'refresh in two tabs': 8,
  login: 10,
  logout: 5,
  'change password': 6,
  'reset password': 6,
  'end others': 4,
  'end one': 4,
  'replay what ended': 5,
  'replay what was used': 3,
  'two things at once': 10,
}
type Habit = keyof typeof HABITS

let people = 0
let passwords = 0
/** No two are the same, so that each login tells which write it saw. */
const freshPassword = () => `c0rrect-Horse-${++passwords}-battery!`

/** Somebody with several devices, who goes on after whatever went wrong and remembers all they ever knew. */
export function createPerson (street: Street, mails: ReceivedMail[], random: Random) {
  const name = `person${++people}`
  const email = `${name}@example.com`
  const devices = Array.from({ length: DEVICES }, () => createDevice(street, random, name))
  const knownPasswords: string[] = [freshPassword()]
  let candidates = [...knownPasswords]
  /** Cookies of sessions that may have ended. */
  const graveyard: Device[] = []
  let registered = false
  let verified = false
  let linksAsked = 0
  const usedLinks = new Set<string>()

  const linkFor = (page: string) =>
    mails.findLast(mail => mail.reader === email && mail.text?.includes(`/${page}#`) && !usedLinks.has(mail.token))
      ?.token

  async function waitForLink (page: string): Promise<string | undefined> {
    await eventually(
      () => linkFor(page),
      link => link !== undefined,
      MAIL_PATIENCE
    ).catch(() => {})
    return linkFor(page)
  }

  async function becomeMember (device: Device) {
    if (!registered) {
      const answer = await device.send(
        'register',
        { path: '/register', body: { username: name, email, password: knownPasswords[0] } },
        { newPassword: knownPasswords[0] }
      )
      registered = answer?.status === 202 || answer?.status === 409
      return
    }
    const token = await waitForLink('verify-email')
    if (token) {
      const answer = await device.send('verify', { path: '/verify-email', body: { token } })
      // An earlier try may have gone through unheard: a login will tell.
      verified = answer?.status === 204 || answer?.status === 400
      if (answer?.status === 400) usedLinks.add(token)
    } else if (linksAsked < MOST_LINKS) {
      linksAsked++
      await device.send('resend', { path: '/verify-email/resend', body: { email } })
    }
  }

  async function login (device: Device) {
    const password = random.pick(candidates)
    bury(device)
    const answer = await device.send(
      'login',
      { path: '/login', body: { username: name, password } },
      { password, newDevice: !device.cookies.has('device') }
    )
    if (answer?.status === 200) candidates = [password]
    if (answer?.status !== 401) return
    candidates = candidates.filter(each => each !== password)
    if (candidates.length === 0) candidates = [...knownPasswords]
  }

  function bury (device: Device) {
    if (device.session()) graveyard.push(device.copy())
  }

  async function choosePassword (send: (password: string) => Promise<{ status: number } | null>) {
    const password = freshPassword()
    knownPasswords.push(password)
    const answer = await send(password)
    if (answer && answer.status < 300) candidates = [password]
    else if (!answer || answer.status >= 500) candidates.push(password)
  }

  const deeds: Record<Habit, (device: Device) => Promise<unknown>> = {
    refresh: device => device.send('refresh', { path: '/api/auth/refresh' }),
    'refresh in two tabs': device => Promise.all([deeds.refresh(device), deeds.refresh(device)]),
    login,
    async logout (device) {
      bury(device)
      await device.send('logout', { path: '/logout' })
    },
    'change password': device =>
      choosePassword(async password => {
        const current = random.pick(candidates)
        return device.sendGuarded(
          'change',
          { path: '/api/auth/password', body: { current, password } },
          { password: current, newPassword: password }
        )
      }),
    async 'reset password' (device) {
      if (!linkFor('reset-password')) {
        if (linksAsked++ >= MOST_LINKS) return deeds.refresh(device)
        await device.send('ask-reset', { path: '/reset-password', body: { email } })
      }
      const token = await waitForLink('reset-password')
      if (!token) return
      await choosePassword(async password => {
        const answer = await device.send(
          'reset',
          { path: '/reset-password/confirm', body: { token, password } },
          { newPassword: password }
        )
        if (answer && answer.status < 500) usedLinks.add(token)
        return answer
      })
    },
    'end others': device => device.sendGuarded('end-others', { method: 'DELETE', path: '/api/auth/sessions' }),
    async 'end one' (device) {
      const other = random.pick(devices).session()?.family
      if (!other) return
      bury(device)
      await device.sendGuarded(
        'end-one',
        { method: 'DELETE', path: `/api/auth/sessions/${other}` },
        { target: other }
      )
    },
    async 'replay what ended' (device) {
      await deeds.refresh(graveyard.length > 0 ? random.pick(graveyard) : device)
    },
    /** A thief, or a clone of the disk: the session must end. */
    async 'replay what was used' (device) {
      const old = device.copy()
      await deeds.refresh(device)
      await deeds.refresh(device)
      await deeds.refresh(old)
    },
    async 'two things at once' () {
      await Promise.all([act(random.pick(devices), simpleHabit()), act(random.pick(devices), simpleHabit())])
    },
  }

  const simpleHabit = () => random.pick(['refresh', 'login', 'logout', 'change password', 'end others'] as const)

  async function act (device: Device, habit: Habit) {
    await deeds[device.session() || habit === 'reset password' || habit === 'two things at once' ? habit : 'login'](
      device
    )
  }

  return {
    name,
    async step () {
      const device = random.pick(devices)
      const habit = random.weighted(HABITS)
      if (!registered || !verified) return becomeMember(device)
      await act(device, habit)
    },

    /** When all is over: tries every password and every token that this person ever had. */
    async audit () {
      for (const password of knownPasswords) {
        await createDevice(street, random, name).send(
          'login',
          { path: '/login', body: { username: name, password } },
          { password, audit: true }
        )
      }
      for (const device of [...devices, ...graveyard]) { if (device.session()) await device.send('refresh', { path: '/api/auth/refresh' }, { audit: true }) }
    },
  }
}

export type Person = ReturnType<typeof createPerson>
