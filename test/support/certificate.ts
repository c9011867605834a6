import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Writes certificate.key and certificate.pem, self-signed for localhost. Returns the certificate. */
export function makeCertificate (dir: string): string {
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=DNS:localhost,IP:127.0.0.1',
      '-keyout',
      join(dir, 'certificate.key'),
      '-out',
      join(dir, 'certificate.pem'),
    ],
    { stdio: 'ignore' }
  )
  return readFileSync(join(dir, 'certificate.pem'), 'utf8')
}
