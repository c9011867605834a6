import { execFileSync } from 'node:child_process'
import { createPrivateKey, sign, X509Certificate, type KeyObject } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cose, isoCBOR } from '@simplewebauthn/server/helpers'

/** `self`: signed with the new key. `certificate`: with a key that has a certificate. Others: only the format. */
export type Attestation = 'none' | 'self' | 'certificate' | 'tpm' | 'fido-u2f' | 'android-key' | 'apple'

type CBOR = Parameters<typeof isoCBOR.encode>[0]

/** What WebAuthn requires of the certificate of an authenticator. */
const CERTIFICATE = `
[req]
distinguished_name = subject
x509_extensions = extensions
prompt = no
[subject]
C = DE
O = Test
OU = Authenticator Attestation
CN = Test
[extensions]
basicConstraints = critical, CA:FALSE
`

function createCertificate (): { der: Buffer, key: KeyObject } {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-attestation-'))
  const [config, key, certificate] = ['config', 'key', 'certificate'].map(name => join(dir, name)) as [
    string, string, string
  ]
  writeFileSync(config, CERTIFICATE)
  execFileSync('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
    '-config', config, '-keyout', key, '-out', certificate,
  ], { stdio: 'ignore' })
  const created = {
    der: new X509Certificate(readFileSync(certificate)).raw,
    key: createPrivateKey(readFileSync(key)),
  }
  rmSync(dir, { recursive: true })
  return created
}

/** The attestation object of a new passkey with the private key `key`. */
export function attest (kind: Attestation, authData: Buffer, clientDataHash: Buffer, key: KeyObject): Uint8Array {
  const encode = (format: string, statement: Array<[string, CBOR]>) => isoCBOR.encode(new Map<string, CBOR>([
    ['fmt', format],
    ['attStmt', new Map(statement)],
    ['authData', new Uint8Array(authData)],
  ]))
  if (kind !== 'self' && kind !== 'certificate') return encode(kind, [])

  const certificate = kind === 'certificate' ? createCertificate() : undefined
  const signature = sign('sha256', Buffer.concat([authData, clientDataHash]), certificate?.key ?? key)
  return encode('packed', [
    ['alg', cose.COSEALG.ES256],
    ['sig', new Uint8Array(signature)],
    ...(certificate ? [['x5c', [new Uint8Array(certificate.der)]] satisfies [string, CBOR]] : []),
  ])
}
