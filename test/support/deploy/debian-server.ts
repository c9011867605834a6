import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { Test } from 'tap'
import { spawnTethered } from '../../../demo/tethered.ts'
import { makeFolder } from '../folder.ts'
import { eventually } from '../patience.ts'
import { builtService, productionPackages } from './made-once.ts'

const CHECKOUT = resolve(import.meta.dirname, '../../..')
const NAMESPACES = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--propagation=private']
const SOURCE = '/usr/local/src/gatehouse'
/** npx downloads Node. This only stops a command that hangs. */
const COMMAND_TIMEOUT = 300_000

/** Why a copy of the machine cannot be made, or false. */
export const withoutNamespaces =
  process.getuid?.() === 0 && spawnSync('unshare', [...NAMESPACES, 'true']).status === 0
    ? false
    : 'NO ROOT OR NO NAMESPACES ON THIS MACHINE: THE STEPS FOR A DEBIAN SERVER DID NOT RUN'

interface Options {
  input?: string
  env?: Record<string, string>
  /** Releases are made with the network of the machine, for npm. Servers listen in a network of their own. */
  network?: boolean
}

/** Where the copy of the machine has a folder of this checkout. */
const inMachine = (folder: string) => join('/mnt', relative(CHECKOUT, folder))

/** A copy of this machine in memory, with the source of Gatehouse. All of it ends with the test. */
export async function startDebianServer (t: Pick<Test, 'teardown'>) {
  const [packages, built] = [productionPackages(), builtService()]
  const made = { PRODUCTION_PACKAGES: inMachine(packages), BUILT_SERVICE: built ? inMachine(built) : '' }
  const folder = makeFolder(t, 'debian')
  const log = join(makeFolder(t, 'debian-log'), 'log')
  const output = openSync(log, 'w')
  const script = join(CHECKOUT, 'test/support/deploy/debian/machine.sh')
  const machine = spawnTethered(['unshare', ...NAMESPACES, 'sh', script, folder, CHECKOUT], 'KILL', output)
  closeSync(output)
  const ended = once(machine, 'exit')
  t.teardown(async () => {
    machine.ref()
    machine.kill('SIGKILL')
    await ended
  })
  await eventually(() => {
    const said = readFileSync(log, 'utf8')
    if (machine.exitCode !== null) throw new Error(said)
    return said
  }, said => said.includes('ready'))
  const first = readFileSync(`/proc/${machine.pid}/task/${machine.pid}/children`, 'utf8').trim()

  /** Runs commands as root, and fails if one of them does. Returns what they print. */
  function run (commands: string, { input = '', env = {}, network = false }: Options = {}): string {
    // --wd: not in the folder of this process, which is outside of the copy.
    const inside = ['--target', first, '--mount', '--pid', '--root', '--wd', ...network ? [] : ['--net']]
    const { status, stdout, stderr } = spawnSync('nsenter', [...inside, 'sh', '-euc', `cd /root\n${commands}`], {
      input,
      env: { ...environment(network), ...made, ...env },
      encoding: 'utf8',
      timeout: COMMAND_TIMEOUT,
    })
    if (status !== 0) throw new Error(`${commands}\n${stdout}${stderr}`)
    return stdout
  }

  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: CHECKOUT })
  const archive = spawnSync('tar', ['--create', '--null', '--files-from=-', '--ignore-failed-read'], {
    cwd: CHECKOUT,
    input: files,
    maxBuffer: 2 ** 28,
  }).stdout
  run(`mkdir -p ${SOURCE} && tar --extract --no-same-owner --directory ${SOURCE}`, { input: archive as never })
  return { run }
}

/** Of a login shell of root. npm also has the registry of this machine. */
function environment (network: boolean): Record<string, string | undefined> {
  const ofNpm = /^(NODE_EXTRA_CA_CERTS|(https?|no)_proxy)$/i
  const registry = Object.entries(process.env).filter(([name]) => ofNpm.test(name))
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    ...network && { ...Object.fromEntries(registry), npm_config_prefer_offline: 'true' },
  }
}
