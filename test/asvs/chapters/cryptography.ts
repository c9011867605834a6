import { deployment, notApplicable, shown, type Chapter } from '../entry.ts'

const NOTHING_ENCRYPTED = 'The service itself encrypts no data; the front end provides TLS.'

export const CRYPTOGRAPHY: Chapter = {
  '11.1.1': shown('Key management is documented', 'asvs/decisions.test.ts#section on keys: lists'),
  '11.1.2': shown('Keys and algorithms are inventoried', 'asvs/decisions.test.ts#section on keys: lists'),
  '11.2.1': shown(
    'Only validated cryptographic libraries',
    'source.test.ts#source: no weak hash',
    'source.test.ts#package-lock.json: every package has'
  ),
  '11.2.2': shown(
    'Keys and costs can be changed (crypto agility)',
    'secret-rotation.test.ts#JWT_SECRET rotation: users stay',
    'routes/login/login.test.ts#POST /login: a hash'
  ),
  '11.2.3': shown(
    'At least 128 bits of security',
    'src/config.test.ts#refused in one line',
    'src/config.test.ts#serve: production without settings'
  ),
  '11.3.1': deployment(
    'No insecure block modes or padding',
    NOTHING_ENCRYPTED,
    'deploy/tls.long.ts#TLS: only versions 1.2'
  ),
  '11.3.2': deployment(
    'Only approved ciphers',
    NOTHING_ENCRYPTED,
    'deploy/tls.long.ts#TLS: only versions 1.2'
  ),
  '11.3.3': deployment(
    'Encrypted data is authenticated',
    NOTHING_ENCRYPTED,
    'deploy/tls.long.ts#TLS: only versions 1.2'
  ),
  '11.4.1': shown('Only approved hash functions', 'source.test.ts#source: no weak hash'),
  '11.4.2': shown(
    'Passwords are stored with a slow hash of current cost',
    'src/config.test.ts#refused in one line',
    'plugins/passwords/passwords.test.ts#a hash of a lower cost',
    'routes/register.test.ts#POST /register → mail',
    'src/passwords/schemes.test.ts#hashes that other programs made',
    'src/passwords/schemes.test.ts#hostile and unknown hashes'
  ),
  '11.4.3': shown(
    'Hash functions for signatures have at least 256 bits',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every',
    'source.test.ts#source: no weak hash'
  ),
  '11.4.4': notApplicable('Keys derived from passwords use key stretching', 'No key is derived from a password.'),
  '11.5.1': shown(
    'Unguessable values have at least 128 random bits',
    'asvs/accounts.test.ts#links have 256 random',
    'routes/api/auth/social.test.ts#GET /api/auth/provider-a: to the provider',
    'source.test.ts#source: no Math.random'
  ),
  '11.6.1': deployment(
    'Only approved algorithms for keys and signatures',
    'The service signs with HMAC-SHA-256; the only key pair is that of your certificate.',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every'
  ),
}

export const COMMUNICATION: Chapter = {
  '12.1.1': shown(
    'Only TLS 1.2 and 1.3',
    'deploy/tls.long.ts#TLS: only versions 1.2',
    'deploy/tls.long.ts#TLS: the scan finds'
  ),
  '12.1.2': shown('Only strong cipher suites', 'deploy/tls.long.ts#TLS: only versions 1.2'),
  '12.1.3': notApplicable('Client certificates are verified', 'None are used.'),
  '12.2.1': shown(
    'TLS for all clients, no plain HTTP',
    'deploy/nginx.long.ts#plain HTTP',
    'deploy/compose.test.ts#compose.yaml: only nginx is',
    'src/config.test.ts#refused in one line'
  ),
  '12.2.2': deployment('A publicly trusted certificate', 'From your certificate authority: see docs/deploy.md.'),
  '12.3.1': deployment(
    'TLS to PostgreSQL, Redis, mail and providers',
    'Set it in their addresses: `sslmode=verify-full`, `rediss://`, `smtps://`. Providers are reached over https.',
    'src/settings/redis-address.test.ts#: parsed',
    'deploy/compose.test.ts#compose.yaml: only nginx is'
  ),
  '12.3.2': shown(
    'Certificates of other services are verified',
    'source.test.ts#source: TLS certificates are',
    'src/webhooks/post.test.ts#TLS: a certificate that is not trusted'
  ),
  '12.3.3': deployment(
    'TLS between the front end and the service',
    'Plain HTTP in a private network. Use a service mesh or a tunnel where the network is shared.',
    'deploy/compose.test.ts#compose.yaml: only nginx is'
  ),
  '12.3.4': deployment(
    'Internal connections trust only named authorities',
    'Set `NODE_EXTRA_CA_CERTS` for Node and `sslrootcert` for PostgreSQL.'
  ),
}
