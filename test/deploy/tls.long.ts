import { spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:tls'
import t from 'tap'
import { isInstalled } from '../../demo/programs.ts'
import { startFrontEnd, withoutNginx, type FrontEnd } from '../support/deploy/front-end.ts'
import { eventually, HANG_TIMEOUT } from '../support/patience.ts'

const skip = withoutNginx || (isInstalled('sslscan') ? false : 'NO sslscan ON THIS MACHINE: TESTS OF TLS DID NOT RUN')
const NOBODY: [number, number] = [1, 1]
const VERSIONS = { tls1: '1.0', tls1_1: '1.1', tls1_2: '1.2', tls1_3: '1.3' }

/** The versions that the server accepts. The client allows all of them (security level 0). */
function versionsByOpenssl ({ httpsPort }: FrontEnd): string[] {
  return Object.entries(VERSIONS)
    .filter(([flag]) => {
      const { stdout } = spawnSync(
        'openssl',
        ['s_client', '-connect', `127.0.0.1:${httpsPort}`, `-${flag}`, '-cipher', 'ALL:@SECLEVEL=0'],
        { input: '', encoding: 'utf8', timeout: 20_000 }
      )
      return /^New, TLSv1\S*, Cipher is (?!\(NONE\))/m.test(stdout)
    })
    .map(([, version]) => version)
}

function scan ({ httpsPort }: FrontEnd): string {
  return spawnSync('sslscan', ['--no-colour', '--xml=-', `127.0.0.1:${httpsPort}`], {
    encoding: 'utf8',
    timeout: HANG_TIMEOUT,
  }).stdout
}

const enabledVersions = (report: string) =>
  [...report.matchAll(/<protocol type="(\w+)" version="([\d.]+)" enabled="1"/g)]
    .map(([, type, version]) => `${type} ${version}`)
    .sort()
const ciphers = (report: string) => [...report.matchAll(/<cipher [^>]*cipher="([^"]+)"/g)].map(([, name]) => name)

t.test('TLS: only versions 1.2 and 1.3', { skip, timeout: HANG_TIMEOUT }, async t => {
  const frontEnd = await startFrontEnd(t, { instances: NOBODY })
  t.strictSame(versionsByOpenssl(frontEnd), ['1.2', '1.3'])
  const report = scan(frontEnd)
  t.strictSame(enabledVersions(report), ['tls 1.2', 'tls 1.3'])
  t.ok(ciphers(report).length >= 4)
  t.strictSame(
    ciphers(report).filter(name => !/^(TLS_|ECDHE-).*(GCM|CHACHA20)/.test(name ?? '')),
    [],
    'all ciphers have forward secrecy and authenticated encryption'
  )
  t.notMatch(report, /<heartbleed [^>]*vulnerable="1"/)
  t.notMatch(report, /<compression supported="1"/)
})

t.test('TLS: the scan finds older versions where they are enabled', { skip, timeout: HANG_TIMEOUT }, async t => {
  const frontEnd = await startFrontEnd(t, {
    instances: NOBODY,
    changes: {
      'gatehouse/tls.conf': {
        'ssl_protocols TLSv1.2 TLSv1.3': 'ssl_protocols TLSv1 TLSv1.1 TLSv1.2',
        'ssl_ciphers ECDHE': 'ssl_ciphers ALL:@SECLEVEL=0:ECDHE',
      },
    },
  })
  t.strictSame(versionsByOpenssl(frontEnd), ['1.0', '1.1', '1.2'])
  t.strictSame(enabledVersions(scan(frontEnd)), ['tls 1.0', 'tls 1.1', 'tls 1.2'])
})

t.test('TLS: a renewed certificate is used without a restart', { skip }, async t => {
  const frontEnd = await startFrontEnd(t, { instances: NOBODY })
  const fingerprint = (certificate: string | Buffer) => new X509Certificate(certificate).fingerprint256
  const served = async () => {
    const socket = connect({ port: frontEnd.httpsPort, host: '127.0.0.1', rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const { raw } = socket.getPeerCertificate()
    socket.destroy()
    return fingerprint(raw)
  }
  t.equal(await served(), fingerprint(frontEnd.certificate))
  const renewed = fingerprint(frontEnd.renewCertificate())
  t.equal(await eventually(served, found => found === renewed), renewed)
})
