import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { isInstalled } from '../../../demo/programs.ts'
import { HANG_TIMEOUT, inTime } from '../patience.ts'

export const withoutSqlmap = isInstalled('sqlmap') ? false : 'NO sqlmap ON THIS MACHINE: SQL INJECTION WAS NOT TESTED'

/** In milliseconds, for one request. It takes most time for the bodies with many fields. */
const SQLMAP_LIMIT = HANG_TIMEOUT / 3

/** Every refusing status, on which sqlmap would otherwise give up. */
const REFUSALS = '400,401,403,404,409,413,415,422,429'

export interface Finding {
  /** The injections found, as sqlmap describes them. */
  injectable: string[]
  /** The parameters that it tried. */
  tried: string[]
  said: string
}

/** Tries each part of a request that is marked with an asterisk. */
export async function sqlmap (t: Pick<Test, 'teardown'>, request: string): Promise<Finding> {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-sqlmap-'))
  try {
    const file = join(dir, 'request')
    writeFileSync(file, request)
    const tool = spawn(
      'sqlmap',
      [
        '-r',
        file,
        '--batch',
        '--ignore-stdin',
        '--disable-coloring',
        '--output-dir',
        dir,
        '--dbms=PostgreSQL',
        '--technique=BEU',
        '--level=2',
        '--risk=1',
        '--threads=2',
        '--timeout=30',
        '--drop-set-cookie',
        `--ignore-code=${REFUSALS}`,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'], cwd: dir, env: { ...process.env, HOME: dir } }
    )
    t.teardown(() => tool.kill())
    let said = ''
    for (const stream of [tool.stdout, tool.stderr]) {
      stream.on('data', chunk => {
        said += chunk
      })
    }
    await inTime(once(tool, 'close'), `sqlmap on ${request.split('\r\n')[0]}`, SQLMAP_LIMIT)
    return {
      injectable: [...said.matchAll(/^Parameter: (.+)$/gm)].map(([, place = '']) => place),
      tried: [...said.matchAll(/testing for SQL injection on (.+)$/gm)].map(([, place = '']) => place),
      said,
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
