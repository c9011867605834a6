import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isInstalled } from '../../demo/programs.ts'
import { makeFolder } from '../support/folder.ts'

const UNIT = readFileSync('deploy/systemd/gatehouse.service', 'utf8')
const skip = isInstalled('systemd-analyze') ? false : 'NO systemd ON THIS MACHINE: TESTS OF THE UNIT DID NOT RUN'
/** From 0 (safe) to 10. */
const MAX_EXPOSURE = 2

function analyze (unit: string, ...args: string[]) {
  const file = join(makeFolder(t, 'systemd'), 'gatehouse.service')
  writeFileSync(file, unit.replace('/opt/gatehouse/current/bin/gatehouse', process.execPath))
  return spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' })
}

t.test('gatehouse.service: systemd understands each line', { skip }, async t => {
  t.match(analyze(UNIT, 'verify'), { status: 0, stderr: '' })
  t.match(analyze(UNIT.replace('ProtectSystem=', 'ProtectSytem='), 'verify').stderr, /Unknown key .*'ProtectSytem'/)
})

t.test('gatehouse.service: runs with few privileges', { skip }, async t => {
  const exposure = (unit: string) => {
    const { stdout } = analyze(unit, 'security', '--offline=true', '--no-pager')
    return Number(stdout.match(/Overall exposure level .*: ([\d.]+)/)?.[1])
  }
  t.comment(`exposure: ${exposure(UNIT)} of 10`)
  t.ok(exposure(UNIT) < MAX_EXPOSURE)
  t.ok(exposure(UNIT.replace(/^(SystemCallFilter|CapabilityBoundingSet)=.*$/gm, '')) > MAX_EXPOSURE)
})

t.test('gatehouse.service: runs as its own user, without a secret in the unit', async t => {
  t.match(UNIT, /^User=gatehouse\nGroup=gatehouse$/m)
  const environment = [...UNIT.matchAll(/^Environment=(.*)$/gm)].map(([, line]) => line)
  t.strictSame(environment, ['PORT=%i'], 'gatehouse.env, which names the files of the secrets, has all others')
  t.notMatch(UNIT, 'MIGRATION')
})

t.test('gatehouse.service: enough time to drain', async t => {
  const drain = 2 + 30
  t.ok(Number(UNIT.match(/^TimeoutStopSec=(\d+)$/m)?.[1]) > drain)
})
