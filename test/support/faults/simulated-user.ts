import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../patience.ts'
import type { ReceivedMail } from '../smtp.ts'
import { createAuthenticatorApp } from './authenticator-app.ts'
import { createBrowserSession, type BrowserSession, type Recording } from './browser-session.ts'
import type { Random } from './random.ts'
import { createSimulatedApplication, type Application } from './simulated-application.ts'

const DEVICES = 3
/** Few enough to stay within the mails that a mailbox gets in an hour. */
const MAX_LINKS = 2
const MAIL_TIMEOUT = 80_000

/** What users do, and with which weight. */
const ACTIONS = {
  refresh: 30,
  'refresh in two tabs': 8,
  login: 10,
  logout: 5,
  'change password': 6,
  'reset password': 6,
  'end others': 4,
  'add a second factor': 5,
  'end one': 4,
  'replay what ended': 5,
  'check what ended': 8,
  'replay what was used': 3,
  'two things at once': 10,
  'use the application': 40,
}
type Action = keyof typeof ACTIONS

let users = 0
let passwords = 0
/** Unique, so that each login shows which write it saw. */
const freshPassword = () => `c0rrect-Horse-${++passwords}-battery!`

/** A user with several devices, who continues after any failure and keeps every password and token. */
export function createSimulatedUser (
  recording: Recording,
  mails: ReceivedMail[],
  random: Random,
  registered: Application
) {
  const name = `person${++users}`
  const email = `${name}@example.com`
  const devices = Array.from({ length: DEVICES }, () => createBrowserSession(recording, random, name))
  const knownPasswords: string[] = [freshPassword()]
  let candidates = [...knownPasswords]
  /** Copies of sessions that may have ended. */
  const endedSessions: BrowserSession[] = []
  let hasRegistered = false
  let verified = false
  let linksAsked = 0
  const usedLinks = new Set<string>()
  let hasSecondFactor = false
  const authenticator = createAuthenticatorApp()
  const application = createSimulatedApplication(recording, random, name, registered)

  const linkFor = (page: string) =>
    mails.findLast(mail => mail.reader === email && mail.text?.includes(`/${page}#`) && !usedLinks.has(mail.token))
      ?.token

  async function waitForLink (page: string): Promise<string | undefined> {
    const limit = performance.now() + MAIL_TIMEOUT
    while (!linkFor(page) && performance.now() < limit) await sleep(25)
    return linkFor(page)
  }

  async function signUp (device: BrowserSession) {
    if (!hasRegistered) {
      const response = await device.send(
        'register',
        { path: '/register', body: { username: name, email, password: knownPasswords[0] } },
        { newPassword: knownPasswords[0] }
      )
      hasRegistered = response?.status === 202 || response?.status === 409
      return
    }
    const token = await waitForLink('verify-email')
    if (token) {
      const response = await device.send('verify', { path: '/verify-email', body: { token } })
      // A 400 may mean that an earlier attempt succeeded without a response: a login will show it.
      verified = response?.status === 204 || response?.status === 400
      if (response?.status === 400) usedLinks.add(token)
    } else if (linksAsked < MAX_LINKS) {
      linksAsked++
      await device.send('resend', { path: '/verify-email/resend', body: { email } })
    }
  }

  async function login (device: BrowserSession) {
    const password = random.pick(candidates)
    keepCopy(device)
    const response = await device.send(
      'login',
      { path: '/login', body: { username: name, password } },
      { password, newDevice: !device.cookies.has('device') }
    )
    if (response?.status === 202) {
      hasSecondFactor = true
      await secondStep(device, password)
    }
    if (response && response.status < 300) candidates = [password]
    if (response?.status !== 401) return
    candidates = candidates.filter(each => each !== password)
    if (candidates.length === 0) candidates = [...knownPasswords]
  }

  async function secondStep (device: BrowserSession, password: string) {
    const code = authenticator.nextCode()
    if (!code) return
    await device.send(
      'second-step',
      { path: '/login/second-factor', body: { code } },
      { password, newDevice: !device.cookies.has('device') }
    )
  }

  function keepCopy (device: BrowserSession) {
    if (device.session()) endedSessions.push(device.copy())
  }

  async function choosePassword (send: (password: string) => Promise<{ status: number } | null>) {
    const password = freshPassword()
    knownPasswords.push(password)
    const response = await send(password)
    if (response && response.status < 300) candidates = [password]
    else if (!response || response.status >= 500) candidates.push(password)
  }

  const actions: Record<Action, (device: BrowserSession) => Promise<unknown>> = {
    refresh: device => device.refresh(),
    'refresh in two tabs': device => device.refresh(2),
    login,
    async logout (device) {
      keepCopy(device)
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
        if (linksAsked++ >= MAX_LINKS) return actions.refresh(device)
        await device.send('ask-reset', { path: '/reset-password', body: { email } })
      }
      const token = await waitForLink('reset-password')
      if (!token) return
      await choosePassword(async password => {
        const response = await device.send(
          'reset',
          { path: '/reset-password/confirm', body: { token, password } },
          { newPassword: password }
        )
        if (response && response.status < 500) usedLinks.add(token)
        return response
      })
    },
    'end others': device => device.sendGuarded('end-others', { method: 'DELETE', path: '/api/auth/sessions' }),
    async 'add a second factor' (device) {
      if (hasSecondFactor) return actions.refresh(device)
      const begun = await device.sendGuarded('begin-totp', { path: '/api/auth/factors/totp' })
      if (begun?.status !== 200) return
      const code = authenticator.setUp(JSON.parse(begun.body).secret)
      const added = await device.sendGuarded('confirm-totp', { path: '/api/auth/factors/totp/confirm', body: { code } })
      if (added?.status !== 200) return
      authenticator.saveRecoveryCodes(JSON.parse(added.body).recoveryCodes)
      hasSecondFactor = true
    },
    async 'end one' (device) {
      const other = random.pick(devices).session()?.family
      if (!other) return
      keepCopy(device)
      await device.sendGuarded(
        'end-one',
        { method: 'DELETE', path: `/api/auth/sessions/${other}` },
        { target: other }
      )
    },
    async 'replay what ended' (device) {
      await actions.refresh(endedSessions.length > 0 ? random.pick(endedSessions) : device)
    },
    async 'check what ended' (device) {
      const ended = endedSessions.length > 0 ? random.pick(endedSessions) : device
      await ended.send('check', { method: 'GET', path: '/api/auth/verify' })
    },
    /** As a thief does, or a restored backup: the session must end. */
    async 'replay what was used' (device) {
      const old = device.copy()
      await actions.refresh(device)
      await actions.refresh(device)
      await actions.refresh(old)
    },
    async 'two things at once' () {
      await Promise.all([act(random.pick(devices), simpleAction()), act(random.pick(devices), simpleAction())])
    },
    'use the application': device => application.step(device),
  }

  const simpleAction = () =>
    random.pick(['refresh', 'login', 'logout', 'change password', 'end others', 'use the application'] as const)

  async function act (device: BrowserSession, action: Action) {
    const needsSession = !['reset password', 'two things at once', 'use the application'].includes(action)
    await actions[needsSession && !device.session() ? 'login' : action](device)
  }

  return {
    name,
    async step () {
      const device = random.pick(devices)
      const action = random.weighted(ACTIONS)
      if (!hasRegistered || !verified) return signUp(device)
      await act(device, action)
    },

    /** Registers and adds a second factor. Before the first fault, so that every run has such an account. */
    async enrol () {
      const device = devices[0] as BrowserSession
      await eventually(async () => {
        if (!verified) await signUp(device)
        else await act(device, 'add a second factor')
        return hasSecondFactor
      }, Boolean)
    },

    /** At the end: tries every password and every token that this user ever had. */
    async audit () {
      for (const password of knownPasswords) {
        const login = { path: '/login', body: { username: name, password } }
        // On a busy machine a response can be late, or the queue full: that says nothing about the password.
        await eventually(
          () => createBrowserSession(recording, random, name).send('login', login, { password, audit: true }),
          response => response !== null && response.status !== 503
        )
      }
      for (const device of [...devices, ...endedSessions].filter(each => each.session())) {
        await device.send('check', { method: 'GET', path: '/api/auth/verify' }, { audit: true })
        await device.send('refresh', { path: '/api/auth/refresh' }, { audit: true })
      }
      await application.audit()
    },
  }
}

export type SimulatedUser = ReturnType<typeof createSimulatedUser>
