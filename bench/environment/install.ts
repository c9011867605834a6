import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isInstalled } from '../../demo/programs.ts'

const ROOT = join(import.meta.dirname, '../..')
const PEERS = join(import.meta.dirname, '..')
/** Outside bench/, so that the service cannot use the packages of bench/node_modules. */
const SERVICE = join(ROOT, '.data/bench/service')

const DOCKERFILE = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
const [, NODE_OPTIONS = ''] = /^ENV NODE_OPTIONS=(.*)$/m.exec(DOCKERFILE) ?? []
const [, WITHOUT_DEVELOPMENT_FILES = ''] = /^RUN (find node_modules .*)$/m.exec(DOCKERFILE) ?? []

/** How Node runs in the image. */
export const IMAGE_SETTINGS = {
  NODE_OPTIONS,
  NODE_COMPILE_CACHE: join(SERVICE, 'dist/compiled'),
  NODE_COMPILE_CACHE_PORTABLE: '1',
}

/** `npm ci`, unless it already ran for this lockfile. */
function install (dir: string, ...flags: string[]) {
  const mark = join(dir, 'node_modules/.installed-for')
  const wanted = createHash('sha256')
    .update(readFileSync(join(dir, 'package-lock.json')))
    .digest('hex')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return
  execFileSync('npm', ['ci', '--loglevel=error', ...flags], { cwd: dir, stdio: ['ignore', 'ignore', 'inherit'] })
  writeFileSync(mark, wanted)
}

export function installPeers () {
  install(PEERS)
}

/**
 * pgbench is part of Debian's server package, whose installation would start a server.
 * Where it is missing, only the program is extracted from that package.
 */
export function providePgbench (): string | undefined {
  const taken = join(ROOT, '.data/bench/pgbench')
  if (isInstalled('pgbench')) return 'pgbench'
  if (existsSync(taken)) return taken
  if (process.getuid?.() !== 0 || !isInstalled('apt-get')) return
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-pgbench-'))
  try {
    execFileSync(
      'sh',
      [
        '-ec',
        `
      apt-get update -qq
      apt-get install -y -qq --no-install-recommends libpq5
      package=$(apt-cache depends --important postgresql | sed -n 's/.*Depends: \\(postgresql-[0-9]*\\)$/\\1/p')
      apt-get download -qq "$package"
      dpkg-deb -x postgresql-*.deb .
      cp usr/lib/postgresql/*/bin/pgbench ${taken}`,
      ],
      { cwd: dir, stdio: 'ignore' }
    )
    return taken
  } catch {
    return undefined
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** The service as in its image: built, with production packages only. */
export function installService () {
  mkdirSync(SERVICE, { recursive: true })
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
    copyFileSync(join(ROOT, file), join(SERVICE, file))
  }
  install(SERVICE, '--omit=dev')
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] })
  rmSync(join(SERVICE, 'dist'), { recursive: true, force: true })
  cpSync(join(ROOT, 'dist'), join(SERVICE, 'dist'), { recursive: true })
  execFileSync('sh', ['-c', WITHOUT_DEVELOPMENT_FILES], { cwd: SERVICE })
  execFileSync(process.execPath, ['dist/precompile.js'], {
    cwd: SERVICE,
    env: { ...process.env, ...IMAGE_SETTINGS },
  })
  return {
    program: join(SERVICE, 'dist/src/cli/gatehouse.js'),
    sizeMb: Number(execFileSync('du', ['-sk', SERVICE], { encoding: 'utf8' }).split('\t')[0]) / 1024,
  }
}
