import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isInstalled } from '../../../demo/programs.ts'
import { OWNER_PASSWORD, seedPostgres, startTestPostgres, startTestRedis, type Disposable } from '../stack.ts'
import { FILE, folderOf, type Servers } from './servers.ts'

/** Starts PostgreSQL and Redis. `run` is the process that starts the test files. */
export async function startServers (run: number, { onEnd }: Disposable): Promise<Servers> {
  const folder = folderOf(run)
  mkdirSync(folder, { recursive: true })
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  const [postgres, redis, program] = await Promise.all([
    startPostgres({ onEnd }),
    isInstalled('redis-server') ? startTestRedis({ onEnd }) : undefined,
    buildService(join(folder, 'build')),
  ])
  const servers = { pid: process.pid, ...postgres, redis: redis?.url, program }
  writeFileSync(join(folder, FILE), JSON.stringify(servers))
  return servers
}

async function startPostgres ({ onEnd }: Disposable) {
  const seed = await seedPostgres({ onEnd })
  const server = await startTestPostgres({ onEnd }, seed)
  return { seed, postgres: server.url('postgres', OWNER_PASSWORD, 'postgres') }
}

/** GATEHOUSE_BUILD is the folder of a build that exists already: all steps of .ci/run use the same one. */
async function buildService (folder: string): Promise<string> {
  const existing = process.env.GATEHOUSE_BUILD
  if (!existing) await promisify(execFile)(process.execPath, ['build.ts', folder])
  return join(existing ?? folder, 'src/cli/gatehouse.js')
}
