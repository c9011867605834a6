import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { configFolder } from '../config.ts'
import { CommandError } from './command.ts'

interface KeptSignIn {
  issuer: string
  /** The origin of the operator API. */
  api: string
  username: string
  token: string
  expiresAt: string
}

export const signInFile = (): string => join(configFolder(), 'login.json')

/** Only its owner can read the file. */
export function keepSignIn (signIn: KeptSignIn) {
  const file = signInFile()
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  rmSync(file, { force: true })
  writeFileSync(file, `${JSON.stringify(signIn, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
}

export function readSignIn (): KeptSignIn {
  let signIn: KeptSignIn
  try {
    signIn = JSON.parse(readFileSync(signInFile(), 'utf8'))
  } catch {
    throw new CommandError('No operator is signed in. See gatehouse login --help.')
  }
  if (Date.parse(signIn.expiresAt) < Date.now()) throw new CommandError('The sign-in has expired: gatehouse login.')
  return signIn
}

export const forgetSignIn = () => rmSync(signInFile(), { force: true })
