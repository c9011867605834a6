// docs/debian.md, run as it is printed, in a copy of this machine.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { withoutRedis } from '../support/build.ts'
import { startDebianServer, withoutNamespaces } from '../support/deploy/debian-server.ts'
import { withoutDebianPostgres } from '../support/deploy/debian-postgres.ts'
import { withoutNginx } from '../support/deploy/front-end.ts'
import { HANG_TIMEOUT } from '../support/patience.ts'

const skip = withoutNamespaces || withoutNginx || withoutRedis || withoutDebianPostgres
const PASSWORD = 'c0rrect-Horse-in-the-stable'
const SMTP_URL = 'smtp://127.0.0.1:2525'
const TRUST = { NODE_EXTRA_CA_CERTS: '/etc/nginx/certificate.pem' }

/** The commands of each section. */
const SECTIONS = Object.fromEntries(readFileSync('docs/debian.md', 'utf8').split(/^## /m).slice(1).map(section => [
  section.split('\n', 1)[0],
  [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, commands = '']) => commands),
]))

function commandsOf (section: string): string[] {
  const commands = SECTIONS[section] ?? []
  if (commands.length === 0) throw new Error(`docs/debian.md has no commands in ${section}`)
  return commands
}

t.test('docs/debian.md: from an empty folder to a sign-in over TLS, an upgrade and a rollback', {
  skip, timeout: HANG_TIMEOUT,
}, async t => {
  const { run } = await startDebianServer(t)
  const follow = (section: string, options = {}) => commandsOf(section).map(each => run(each, options)).join('')
  // nginx closes a fresh HTTP/2 connection when it reloads. A browser repeats the request; curl fails (7 of 400 tries).
  const curl = (args: string) => run(`curl --http1.1 --silent --cacert /etc/nginx/certificate.pem ${args}`)
  const status = (args: string) => Number(curl(`--output /dev/null --write-out '%{http_code}' ${args}`))
  const isSignedIn = () => curl('--cookie jar --cookie-jar jar https://auth.example.com/api/auth/me').includes('ada')
  const startServer = (code: string) => run(`cd /mnt && node_modules/.bin/node -e "${code}" > /dev/null 2>&1 &`)

  t.throws(() => run('ls /opt/gatehouse'))
  startServer('new (require(\'smtp-server\').SMTPServer)({ authOptional: true, hideSTARTTLS: true }).listen(2525)')
  startServer('require(\'http\').createServer((_, answer) => answer.end(\'the app\')).listen(8080)')

  follow('1. Packages')
  follow('2. A release', { network: true })
  const kilobytes = Number(run('du -sk /opt/gatehouse/current/ | cut -f 1'))
  const ofNode = Number(run('du -k /opt/gatehouse/current/bin/node | cut -f 1'))
  t.comment(`${Math.round((kilobytes - ofNode) / 1024)} MB and Node (${Math.round(ofNode / 1024)} MB)`)
  t.ok(kilobytes - ofNode < 95 * 1024)
  t.notMatch(run('ls /opt/gatehouse/current/node_modules'), /typescript|rolldown|^tap$/m)

  follow('3. Settings and secrets', { input: `${SMTP_URL}\n` })
  follow('4. PostgreSQL and Redis')
  follow('5. Two instances')
  follow('6. nginx')
  const said = follow('7. The first account', { input: `${PASSWORD}\n`, env: TRUST })
  t.match(said, /^ok +front end/m)
  t.notMatch(said, /^problem/m)

  t.test('sign-in over TLS, with the app at /', async t => {
    const login = `--cookie-jar jar --json '{"username":"ada","password":"${PASSWORD}"}' https://auth.example.com/login`
    t.equal(status(login), 200)
    t.ok(isSignedIn())
    t.equal(curl('https://auth.example.com/'), 'the app')
    t.match(curl('https://auth.example.com/login'), '<!doctype html>')
    t.match(curl('--http2 --head https://auth.example.com/login'), /^HTTP\/2 200/)
    const redirect = /^location: https:\/\/auth\.example\.com\/login\?a=b\r$/im
    t.match(curl('--head http://auth.example.com/login?a=b'), redirect)
  })

  t.test('the command has the settings of the service, for root and its user', async t => {
    t.match(run('gatehouse user list'), 'ada@example.com')
    t.match(run('setpriv --reuid=gatehouse --regid=gatehouse --init-groups gatehouse user list'), 'ada@example.com')
    const as = (user: string, command: string) => `setpriv --reuid=${user} --regid=${user} --init-groups ${command}`
    t.throws(() => run(as('gatehouse', 'gatehouse migrate')), /migration-database-url: the file cannot be read/)
    t.throws(() => run(as('www-data', 'gatehouse user list')), /use sudo gatehouse/)
    for (const name of ['jwt-secret', 'database-url']) {
      t.throws(() => run(as('www-data', `cat /etc/gatehouse/credentials/${name}`)), /Permission denied/)
    }
  })

  t.test('instances run as gatehouse, and cannot write their program', async t => {
    const users = run('stat --format=%U /proc/$(cat /run/gatehouse@3001.pid) /proc/$(cat /run/gatehouse@3002.pid)')
    t.equal(users, 'gatehouse\ngatehouse\n')
    t.equal(run('find /opt/gatehouse -not -user root -o -perm /go+w -not -type l'), '')
  })

  t.test('users stay signed in while the secret changes', async t => {
    const before = run('cat /etc/gatehouse/credentials/jwt-secret')
    follow('A changed setting')
    for (const commands of commandsOf('Both secrets while `JWT_SECRET` changes').slice(0, 2)) {
      run(commands)
      t.ok(isSignedIn())
    }
    t.not(run('cat /etc/gatehouse/credentials/jwt-secret'), before)
    t.equal(run('stat --format=%G:%a /etc/gatehouse/credentials/jwt-secret').trim(), 'gatehouse:640')
  })

  t.test('upgrade and rollback', async t => {
    const releaseOf = (port: number) => run(`readlink /proc/$(cat /run/gatehouse@${port}.pid)/exe`).split('/')[4]
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    run('cd /usr/local/src/gatehouse && sed -i \'s/"version": ".*"/"version": "99.0.0"/\' package.json')
    const [upgrade = ''] = commandsOf('Upgrade')
    // Only npm needs the network of the machine.
    const [build = '', rest = ''] = upgrade.split(/(?=^rm -rf)/m)
    run(build, { network: true })
    run(`cd /usr/local/src/gatehouse\nversion=99.0.0\n${rest}`)
    t.strictSame([releaseOf(3001), releaseOf(3002)], ['99.0.0', '99.0.0'])
    t.match(run('gatehouse --version'), '99.0.0')
    t.ok(isSignedIn())

    follow('Rollback')
    t.strictSame([releaseOf(3001), releaseOf(3002)], [version, version])
    t.ok(isSignedIn())
    run(commandsOf('Both secrets while `JWT_SECRET` changes')[2] ?? '')
    t.equal(status('https://auth.example.com/health'), 200)
  })

  t.test('a release is never replaced', async t => {
    t.throws(() => run('/usr/local/src/gatehouse/deploy/debian/release.sh /opt/gatehouse/releases/99.0.0'),
      /already exists and was not changed/)
  })
})
