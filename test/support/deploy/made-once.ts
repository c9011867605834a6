// What takes long to make, and is the same for all files of a run.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readServers } from '../servers/servers.ts'

const CHECKOUT = resolve(import.meta.dirname, '../../..')
const FILES = ['package.json', 'package-lock.json', '.npmrc']
const FOLDER = join(CHECKOUT, '.tap/production')

/** The folder of the service that this run has built, or undefined if `node` runs a test file alone. */
export function builtService (): string | undefined {
  const program = readServers()?.program
  return program && resolve(program, '../../..')
}

/** As the folders are named, so that a changed file leads to a new install. */
function keptPackages (): string {
  const hash = createHash('sha256').update(process.version)
  for (const file of FILES) hash.update(readFileSync(join(CHECKOUT, file)))
  return join(FOLDER, hash.digest('hex').slice(0, 16))
}

/** Keeps what `npm ci --omit=dev` has installed from the files of this checkout. */
export function keepPackages (installed: string) {
  const kept = keptPackages()
  if (existsSync(kept)) return
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  execFileSync('cp', ['-a', installed, `${kept}.partial`])
  renameSync(`${kept}.partial`, kept)
}

/** The packages of production. They are installed unless the steps of the Dockerfile have done it. */
export function productionPackages (): string {
  const kept = keptPackages()
  if (existsSync(kept)) return kept
  const folder = mkdtempSync(join(CHECKOUT, '.tap/install-'))
  try {
    for (const file of FILES) cpSync(join(CHECKOUT, file), join(folder, file))
    execFileSync('npm', ['ci', '--omit=dev'], { cwd: folder, stdio: 'pipe' })
    keepPackages(join(folder, 'node_modules'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return kept
}
