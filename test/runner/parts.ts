import { globSync, statSync } from 'node:fs'
import { matchesGlob } from 'node:path'

export interface Part {
  /** For `npm test -- --list`. */
  about: string
  files: string[]
}

/** A part of the night, and the folders whose changes it tests. */
export interface NightPart extends Part { covers: string[] }

const find = (...patterns: string[]) => globSync(patterns).sort()
const deploy = (...names: string[]) => find(...names.map(name => `test/deploy/${name}.long.ts`))

/** These need a browser, a process for each command, or many requests: each is a part of its own. */
const APART = /^test\/(attacks|pages|src\/cli)\/|^test\/deploy\/smoke/

/** `.ci/run` executes them one after the other. `npm test` without a name is `quick`. */
export const GATE = {
  quick: {
    about: 'routes, plugins, src, demo, documentation, short fault history',
    files: find('test/**/*.test.ts').filter(file => !APART.test(file)),
  },
  cli: { about: 'the command line', files: find('test/src/cli/*.test.ts') },
  pages: { about: 'the hosted pages in Chromium', files: find('test/pages/*.test.ts') },
  attacks: { about: 'hostile requests', files: find('test/attacks/*.test.ts') },
  smoke: {
    about: 'the build behind nginx: migrate, sign in, restart under load',
    files: find('test/deploy/smoke.test.ts'),
  },
} satisfies Record<string, Part>

/** `.ci/nightly` executes them one after the other, and each file alone on the machine. */
export const NIGHT: Record<string, NightPart> = {
  chaos: {
    about: 'crashes, network faults, fail-over, loss of a zone, ten minutes of traffic',
    files: [
      ...find('test/faults/*.long.ts'),
      ...deploy('*failover*', 'postgres*', 'pgbouncer', 'nginx-outage', 'rolling-restart', 'zone-loss'),
    ],
    covers: [
      'src/{app,server,create-server}.ts',
      'src/{database,counters,limits,sessions,edge}/**',
      'plugins/{infrastructure,sessions,edge,mail,webhooks,records}/**',
      'migrations/**',
      'test/{faults,support/faults,support/failover}/**',
    ],
  },
  linux: {
    about: 'Dockerfile, package, Debian, systemd, nginx, Caddy, TLS, backup, restore, upgrade, signals to `npm start`',
    files: [
      ...deploy(
        'backup', 'caddy', 'production-install', 'debian', 'guarded-app', 'nginx', 'package', 'restore', 'systemd',
        'tls', 'upgrade'
      ),
      ...find('test/src/cli/*.long.ts'),
    ],
    covers: [
      'Dockerfile', 'build.ts', 'precompile.ts', 'package*.json', '{bin,demo}/**', 'deploy/**', 'migrations/**',
      'src/database/**', 'docs/{debian,deploy,upgrade,backup,kubernetes}*.md',
      'test/support/deploy/**',
    ],
  },
  engines: {
    about: 'the hosted pages in Firefox and WebKit, in ten languages, their looks and weight, bound sessions',
    files: find('test/{engines,pages}/*.long.ts'),
    covers: ['pages/**', 'src/site/**', 'plugins/site/**', 'test/{engines,pages,support/engines,support/pages}/**'],
  },
  recipes: {
    about: 'clients that others wrote, and the steps of the documentation: Python, Apache, desktop, page, MCP',
    files: deploy('openid-*', 'mcp', 'integrating', 'add-sign-in'),
    covers: [
      '{src,plugins,plugins/records}/{openid,service-tokens}/**', 'routes/{oidc,api/auth}/**',
      'docs/{openid,mcp,integrating,add-sign-in}*.md', 'demo/**',
    ],
  },
  hostile: {
    about: 'sqlmap, slow clients, thousands of invalid requests; `FUZZ_SEED` and `FUZZ_PATH` repeat a failure',
    files: [...find('test/attacks/*.long.ts'), ...deploy('slow-clients')],
    covers: ['routes/**', 'operator/**', 'schemas/**', 'src/edge/**', 'plugins/edge/**', 'deploy/nginx/**'],
  },
  native: {
    about: 'bcrypt in lanes: thousands of passwords, AddressSanitizer, UBSan',
    files: find('test/native/*.long.ts'),
    covers: ['native/**', 'src/passwords/lanes.ts', 'test/native/**'],
  },
  timing: {
    about: 'whether response times reveal that an account exists',
    files: find('test/timing/*.long.ts'),
    covers: [
      'routes/{login,register,reset-password}*', 'routes/login/**', '{src,plugins}/{passwords,factors}/**',
      'native/**',
    ],
  },
}

export const PARTS: Record<string, Part> = { ...GATE, ...NIGHT }

/** The parts of the night that test these files. */
export function partsFor (changed: string[]): string[] {
  return Object.entries(NIGHT)
    .filter(([, { files, covers }]) =>
      changed.some(file => files.includes(file) || covers.some(pattern => matchesGlob(file, pattern))))
    .map(([name]) => name)
}

/** The largest first, so that no long one is left to run alone at the end. */
export function largestFirst (files: string[]): string[] {
  return files.toSorted((a, b) => statSync(b).size - statSync(a).size)
}
