import { deployment, notApplicable, shown, type Chapter } from '../entry.ts'

const NOTHING_ENCRYPTED = "The service encrypts nothing itself; TLS is the front end's."

export const CRYPTOGRAPHY: Chapter = {
  '11.1.1': shown('How keys live is written down', 'asvs/decisions.test.ts#keys: every secret'),
  '11.1.2': shown('Keys and algorithms are listed', 'asvs/decisions.test.ts#keys: every secret'),
  '11.2.1': shown(
    'Proven libraries only',
    'source.test.ts#uses a weak hash or cipher',
    'source.test.ts#every package is locked'
  ),
  '11.2.2': shown(
    'Keys and costs can be changed',
    'secret-rotation.test.ts#who is signed in stays so',
    'routes/login.test.ts#a hash of an older cost is renewed'
  ),
  '11.2.3': shown(
    '128 bits of strength or more',
    'src/config.test.ts#refused in one line',
    'src/config.test.ts#serve: production with everything missing'
  ),
  '11.3.1': deployment(
    'No ECB, no weak padding',
    NOTHING_ENCRYPTED,
    'deploy/tls.long.ts#TLS 1.2 and 1.3, and nothing older'
  ),
  '11.3.2': deployment(
    'Approved ciphers',
    NOTHING_ENCRYPTED,
    'deploy/tls.long.ts#TLS 1.2 and 1.3, and nothing older'
  ),
  '11.3.3': deployment(
    'Encrypted data is protected from change',
    NOTHING_ENCRYPTED,
    'deploy/tls.long.ts#TLS 1.2 and 1.3, and nothing older'
  ),
  '11.4.1': shown('Approved hashes only', 'source.test.ts#uses a weak hash or cipher'),
  '11.4.2': shown(
    "Passwords in a slow hash of today's cost",
    'src/config.test.ts#refused in one line',
    'plugins/credentials/passwords.test.ts#a hash of a lower cost',
    'routes/register.test.ts#POST /register → mail'
  ),
  '11.4.3': shown(
    'Hashes for signatures have 256 bits',
    'routes/api/auth/me.test.ts#every token that is not',
    'source.test.ts#uses a weak hash or cipher'
  ),
  '11.4.4': notApplicable('Keys from passwords are stretched', 'No key is made from a password.'),
  '11.5.1': shown(
    'What must not be guessed has 128 random bits',
    'asvs/accounts.test.ts#a link has 256 random bits',
    'routes/api/auth/social.test.ts#GET /api/auth/provider-a: to the provider',
    'source.test.ts#takes chance from Math.random'
  ),
  '11.6.1': deployment(
    'Approved algorithms make keys and signatures',
    'The service signs with HMAC-SHA-256; the only pair of keys is that of your certificate.',
    'routes/api/auth/me.test.ts#every token that is not'
  ),
}

export const COMMUNICATION: Chapter = {
  '12.1.1': shown(
    'TLS 1.2 and 1.3 only',
    'deploy/tls.long.ts#TLS 1.2 and 1.3, and nothing older',
    'deploy/tls.long.ts#a front end that speaks older'
  ),
  '12.1.2': shown('Strong cipher suites only', 'deploy/tls.long.ts#TLS 1.2 and 1.3, and nothing older'),
  '12.1.3': notApplicable('Client certificates are checked', 'None are used.'),
  '12.2.1': shown(
    'TLS to every client, and nothing in the clear',
    'deploy/nginx.long.ts#plain HTTP',
    'deploy/compose.test.ts#only nginx can be reached',
    'src/config.test.ts#refused in one line'
  ),
  '12.2.2': deployment('A certificate that browsers trust', 'From your authority: see docs/deploy.md.'),
  '12.3.1': deployment(
    'TLS to PostgreSQL, Redis, mail and providers',
    'Say so in their addresses: `sslmode=verify-full`, `rediss://`, `smtps://`. Providers are asked over https. The compose file keeps the others on a network of their own.',
    'src/redis/address.test.ts#is read',
    'deploy/compose.test.ts#only nginx can be reached'
  ),
  '12.3.2': shown('Certificates of others are checked', 'source.test.ts#talks TLS without looking'),
  '12.3.3': deployment(
    'TLS between the front end and the service',
    'Plain HTTP on the host or a network of their own. Put a mesh or a tunnel between them where that network is not yours.',
    'deploy/compose.test.ts#only nginx can be reached'
  ),
  '12.3.4': deployment(
    'Inside, only named authorities are trusted',
    'Give Node yours with `NODE_EXTRA_CA_CERTS`, PostgreSQL with `sslrootcert`.'
  ),
}
