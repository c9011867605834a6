import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, matchesGlob, posix, relative } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { providePrograms } from '../../../demo/programs.ts'
import { keepPackages } from './made-once.ts'

const CONTEXT = join(import.meta.dirname, '../../..')

/** The version of Node that package-lock.json installs for the tests, too. */
const BASE = `node:${process.versions.node}-bookworm-slim`

export interface Image {
  /** Its file system. */
  root: string
  workdir: string
  user: string
  env: Record<string, string>
  entrypoint: string[]
  command: string[]
  healthcheck: string[]
  labels: Record<string, string>
  args: Record<string, string>
}

type Step = (stage: Image, rest: string, stages: Map<string, Image>) => void

/** Executes the Dockerfile in folders instead of containers. An unknown step is an error. */
export function buildImage (folder: string): Image {
  const stages = new Map<string, Image>()
  let stage: Image | undefined
  for (const [name = '', rest = ''] of instructions()) {
    if (name === 'FROM') {
      const [, base = '', alias = 'last'] = rest.match(/^(\S+)(?: AS (\w+))?$/) ?? []
      if (base !== BASE) throw new Error(`the commands run on Node ${process.versions.node} here, not on ${base}`)
      stage = {
        root: join(folder, alias),
        workdir: '/',
        user: 'root',
        env: {},
        entrypoint: [],
        command: [],
        healthcheck: [],
        labels: {},
        args: {},
      }
      mkdirSync(stage.root)
      stages.set(alias, stage)
    } else {
      const step = STEPS[name]
      if (!step || !stage) throw new Error(`what to do at ${name} ${rest}?`)
      step(stage, rest, stages)
    }
  }
  return stage as Image
}

/** The name and the arguments of each instruction. */
function instructions (): string[][] {
  const text = readFileSync(join(CONTEXT, 'Dockerfile'), 'utf8').replaceAll('\\\n', '')
  return text
    .split('\n')
    .filter(line => line && !line.startsWith('#'))
    .map(line => line.split(/\s+(.*)/, 2))
}

/** The path and the npm registry. A container has nothing else of our environment. */
const MACHINE = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(PATH|HOME|NODE_EXTRA_CA_CERTS|(https?|no)_proxy)$/i.test(name))
  ),
  // The `npm ci` of this checkout has downloaded the same packages. The lock file has the hash of each.
  npm_config_prefer_offline: 'true',
}

/** The start of a command that another user runs. Only root can become another user. */
export function as (user: string): string[] {
  const [uid, gid = uid] = user.split(':')
  if (user === 'root' || process.getuid?.() !== 0) return []
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs', '--']
}

function runIn (stage: Image, command: string) {
  // Only root can give files to others.
  const possible = process.getuid?.() === 0 ? command : command.replace(' -o 1000 ', ' ')
  const [program = '', ...args] = [...as(stage.user), 'sh', '-c', possible]
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: inside(stage, '.'),
    env: { ...MACHINE, ...stage.env },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${command}: ${stdout}${stderr}`)
}

const packagesOf = (lockFile: string): Record<string, { optional?: boolean }> =>
  JSON.parse(readFileSync(join(CONTEXT, lockFile), 'utf8')).packages

/** Whether `npm ci` has installed the same packages in this checkout, from the same files: once is enough. */
function isInstalledHere (stage: Image): boolean {
  const isSame = (name: string) =>
    existsSync(inside(stage, name)) && readFileSync(inside(stage, name)).equals(readFileSync(join(CONTEXT, name)))
  const installed = packagesOf('node_modules/.package-lock.json')
  return ['package.json', 'package-lock.json', '.npmrc'].every(isSame) &&
    Object.entries(packagesOf('package-lock.json')).every(([path, wanted]) =>
      path === '' || (installed[path] ? isDeepStrictEqual(installed[path], wanted) : wanted.optional))
}

const STEPS: Record<string, Step> = {
  WORKDIR (stage, rest) {
    stage.workdir = rest
    mkdirSync(inside(stage, '.'), { recursive: true })
  },
  ENV (stage, rest) {
    Object.assign(stage.env, Object.fromEntries(rest.split(' ').map(pair => pair.split(/=(.*)/))))
  },
  RUN (stage, rest) {
    const command = rest.replace(/^--mount=type=cache,target=\/root\/\.npm /, '')
    const [, packages] = command.match(/^apt-get update && apt-get install -y --no-install-recommends (.+)$/) ?? []
    // On this machine, which other tests use, too: only what is missing.
    if (packages) return providePrograms(packages.split(' '))
    if (command !== 'npm ci' || !isInstalledHere(stage)) {
      runIn(stage, command)
      if (command === 'npm ci --omit=dev') keepPackages(inside(stage, 'node_modules'))
      return
    }
    symlinkSync(join(CONTEXT, 'node_modules'), inside(stage, 'node_modules'))
    // The script of the package itself, which `npm ci` runs after those of the others.
    runIn(stage, 'npm run install')
  },
  COPY (stage, rest, stages) {
    const [options = '', mode] = rest.match(/^--chmod=(\d+) /) ?? []
    copy(stage, rest.slice(options.length), stages, mode)
  },
  LABEL (stage, rest) {
    const [, name = '', value = ''] = rest.match(/^([\w.]+)="([^"]*)"$/) ?? []
    stage.labels[name] = value.replace(/\$(\w+)/g, (_, arg: string) => stage.args[arg] ?? '')
  },
  ARG (stage, rest) {
    const [name = '', value = ''] = rest.split('=')
    stage.args[name] = value
  },
  USER (stage, rest) {
    stage.user = rest
  },
  EXPOSE () {},
  ENTRYPOINT (stage, rest) {
    stage.entrypoint = JSON.parse(rest)
  },
  CMD (stage, rest) {
    stage.command = JSON.parse(rest)
  },
  HEALTHCHECK (stage, rest) {
    stage.healthcheck = JSON.parse(rest.slice(rest.indexOf('[')))
  },
}

function copy (stage: Image, rest: string, stages: Map<string, Image>, mode?: string) {
  const [, name, ...paths] = rest.match(/^--from=(\w+) (\S+) (\S+)$/) ?? []
  const from = name ? stages.get(name) : undefined
  const [sources, target = ''] = from
    ? [paths.slice(0, 1), paths[1]]
    : [rest.split(' ').slice(0, -1), rest.split(' ').at(-1)]
  for (const source of sources) {
    // As in Docker, a target that does not end like a folder is the name of the file.
    const path = from || !/^\.\/?$|\/$/.test(target) ? inside(stage, target) : inside(stage, target, source)
    if (from) cpSync(join(from.root, source), path, { recursive: true })
    else cpSync(join(CONTEXT, source), path, { recursive: true, filter: isInContext })
    if (mode) chmodSync(path, Number.parseInt(mode, 8))
  }
}

const inside = ({ root, workdir }: Image, ...path: string[]) => join(root, posix.resolve(workdir, ...path))

const IGNORED = readFileSync(join(CONTEXT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter(line => line && !line.startsWith('#'))

/** The last pattern in .dockerignore that matches a path or a parent folder decides. */
function isInContext (file: string): boolean {
  const parts = relative(CONTEXT, file).split('/')
  const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/')).filter(Boolean)
  // Docker's `*` matches hidden files, too.
  const last = IGNORED.findLast(pattern =>
    paths.some(path => pattern === '*' || matchesGlob(path, pattern.replace(/^!/, '')))
  )
  return last === undefined || last.startsWith('!')
}
