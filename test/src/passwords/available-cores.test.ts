import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { availableCores } from '../../../src/passwords/available-cores.ts'
import { JWT_SECRET } from '../../support/build.ts'
import { makeFolder } from '../../support/folder.ts'
import { eventually } from '../../support/patience.ts'
import { gatehouse } from '../../support/process.ts'

const CORES = 8
const V2 = 'sys/fs/cgroup'
const V1 = 'sys/fs/cgroup/cpu,cpuacct'

const quota = (folder: string, time: number) => ({
  [`${folder}/cpu.cfs_quota_us`]: `${time}\n`,
  [`${folder}/cpu.cfs_period_us`]: '100000\n',
})

/** The files of a machine, and how many of its eight cores a process may use. */
const MACHINES: Array<[name: string, cores: number, files: Record<string, string>]> = [
  ['no control groups', 8, {}],
  ['cgroup v2, no limit', 8, { 'proc/self/cgroup': '0::/\n', [`${V2}/cpu.max`]: 'max 100000\n' }],
  ['cgroup v2, 2 cores', 2, { 'proc/self/cgroup': '0::/\n', [`${V2}/cpu.max`]: '200000 100000\n' }],
  ['cgroup v2, 2.9 cores', 2, { 'proc/self/cgroup': '0::/\n', [`${V2}/cpu.max`]: '145000 50000\n' }],
  ['cgroup v2, 0.25 cores', 1, { 'proc/self/cgroup': '0::/\n', [`${V2}/cpu.max`]: '25000 100000\n' }],
  ['cgroup v2, more than there are', 8, { 'proc/self/cgroup': '0::/\n', [`${V2}/cpu.max`]: '6400000 100000\n' }],
  [
    'cgroup v2, the parent has the limit',
    3,
    {
      'proc/self/cgroup': '0::/system.slice/gatehouse.service\n',
      [`${V2}/system.slice/gatehouse.service/cpu.max`]: '400000 100000\n',
      [`${V2}/system.slice/cpu.max`]: '300000 100000\n',
    },
  ],
  [
    'cgroup v2, the path on the host',
    2,
    { 'proc/self/cgroup': '0::/docker/0123\n', [`${V2}/cpu.max`]: '200000 100000\n' },
  ],
  ['cgroup v1, no limit', 8, { 'proc/self/cgroup': '4:memory:/\n3:cpu,cpuacct:/\n0::/\n', ...quota(V1, -1) }],
  [
    'cgroup v1, 2 cores',
    2,
    { 'proc/self/cgroup': '3:cpu,cpuacct:/docker/0123\n0::/\n', ...quota(`${V1}/docker/0123`, 200_000) },
  ],
  ['cgroup v1, the path on the host', 2, { 'proc/self/cgroup': '3:cpu,cpuacct:/docker/0123\n', ...quota(V1, 200_000) }],
  [
    'cgroup v1, another controller',
    8,
    { 'proc/self/cgroup': '3:cpuset:/\n', ...quota('sys/fs/cgroup/cpuset', 100_000) },
  ],
]

for (const [name, cores, files] of MACHINES) {
  t.test(`${name}: ${cores} of ${CORES} cores`, async t => {
    const root = makeFolder(t)
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
    }
    t.equal(availableCores(CORES, root), cores)
  })
}

t.test('HASHING_THREADS: the process has so many threads, and four for other work', async t => {
  const settings = { NODE_ENV: 'test', DATABASE_URL: 'postgres://127.0.0.1:1/x', JWT_SECRET, PORT: '0' }
  for (const [HASHING_THREADS, threads] of [['7', 11], ['', availableCores() + 4]] as const) {
    const { child, until, ended } = gatehouse(['serve'], { ...settings, HASHING_THREADS })
    await until(/Server listening/)
    const names = () => readdirSync(`/proc/${child.pid}/task`)
      .map(id => readFileSync(`/proc/${child.pid}/task/${id}/comm`, 'utf8').trim())
    t.equal(await eventually(() => names().filter(name => name === 'libuv-worker').length, Boolean, 1_000), threads)
    child.kill('SIGKILL')
    await ended
  }
})
