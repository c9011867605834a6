import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CommandError } from '../command.ts'

export interface NewFile {
  path: string
  content: string
  /** Readable for the group of the folder, which the service belongs to. Otherwise only for the user who writes it. */
  forGroup?: boolean
}

/** Lines NAME='value'. Shells, Compose, systemd and Node expand nothing inside single quotes. */
export function quoted (settings: Record<string, string>): string {
  return Object.entries(settings).map(([name, value]) => `${name}='${requireQuotable(name, value)}'\n`).join('')
}

export function requireQuotable (name: string, value: string): string {
  if (!/['\n\r]/.test(value)) return value
  const advice = name === 'SMTP_URL' ? ' Write a quote in the password as %27.' : ''
  throw new CommandError(`${name} must not contain a single quote or a line break.${advice}`)
}

/** Asked before the first question: otherwise the answers would be lost. */
export function refuseToReplace (paths: string[]) {
  const existing = paths.filter(path => existsSync(path))
  if (existing.length === 0) return
  const [exist, were, them] = existing.length === 1 ? ['exists', 'was', 'it'] : ['exist', 'were', 'them']
  throw new CommandError(`${existing.join(', ')} already ${exist} and ${were} not changed. ` +
    `Use --force to replace ${them}, with all passwords.`)
}

/** Creates each file with mode 0600, and replaces an existing one atomically. */
export async function writeFiles (files: NewFile[], replace: boolean) {
  for (const { path, content, forGroup } of files) {
    await mkdir(dirname(path), { recursive: true, mode: 0o750 })
    const target = replace ? `${path}.${randomBytes(6).toString('hex')}` : path
    await writeFile(target, content, { mode: 0o600, flag: 'wx' })
    if (forGroup) await chmod(target, 0o640)
    if (replace) await rename(target, path)
  }
}
