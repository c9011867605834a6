// Receivers of webhooks that are hostile, or whose address leads where it must not.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { join } from 'node:path'
import tls from 'node:tls'
import t, { type Test } from 'tap'
import { checkUrl, isPublic, RefusedAddress, resolveHost } from '../../../src/webhooks/address.ts'
import { post } from '../../../src/webhooks/post.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { makeFolder } from '../../support/folder.ts'
import { listen } from '../../support/receiver.ts'

const LOCAL = [{ address: '127.0.0.1', family: 4 }]
const allow = { privateAllowed: true }

async function start (t: Test, listener: http.RequestListener) {
  return new URL(`http://127.0.0.1:${await listen(t, http.createServer(listener))}/hooks`)
}

t.test('an answer that never comes, or never ends', async t => {
  const silent = await start(t, () => {})
  await t.rejects(post(silent, {}, '{}', { ...allow, timeout: 200 }), { message: 'No answer within 0.2 seconds.' })
  const dripping = await start(t, (_request, response) => {
    response.writeHead(200).write('a')
    const timer = setInterval(() => response.write('a'), 20)
    response.on('close', () => clearInterval(timer))
  })
  const { status, body } = await post(dripping, {}, '{}', { ...allow, timeout: 3_000 })
  t.match({ status, body }, { status: 200, body: /^a+$/ }, 'the status counts')
})

t.test('a host name that is never resolved', async t => {
  const resolve = () => new Promise<never>(() => {})
  await t.rejects(post(new URL('https://app.example.com/'), {}, '{}', { ...allow, resolve, timeout: 100 }),
    { message: 'No answer within 0.1 seconds.' })
})

t.test('a huge answer: read to 16 KiB, then the connection is closed', async t => {
  let written = 0
  const closed = Promise.withResolvers<void>()
  const url = await start(t, (_request, response) => {
    response.writeHead(200)
    response.on('close', closed.resolve)
    const more = () => {
      written += 65_536
      response.write('x'.repeat(65_536))
      response.once('drain', more)
    }
    more()
  })
  const { status, body } = await post(url, {}, '{}', allow)
  await closed.promise
  t.equal(status, 200)
  t.equal(body.length, 16 * 1024)
  t.ok(written < 16 * 1024 * 1024)
})

t.test('a redirect is not followed', async t => {
  let followed = false
  const target = await start(t, (_request, response) => {
    followed = true
    response.end()
  })
  for (const status of [301, 302, 307, 308]) {
    const url = await start(t, (_request, response) => response.writeHead(status, { location: target.href }).end())
    t.equal((await post(url, {}, '{}', allow)).status, status)
  }
  t.notOk(followed)
})

t.test('a name is resolved once, and the connection goes to that address; Host keeps the name', async t => {
  const hosts: Array<string | undefined> = []
  const { port } = await start(t, (request, response) => {
    hosts.push(request.headers.host)
    response.end()
  })
  const url = new URL(`http://rebinding.example:${port}/`)
  let asked = 0
  // The second answer would be another machine, on which nothing listens.
  const resolve = async () => asked++ === 0 ? LOCAL : [{ address: '127.0.0.2', family: 4 }]
  t.equal((await post(url, {}, '{}', { ...allow, resolve })).status, 200)
  t.equal(asked, 1)
  t.strictSame(hosts, [`rebinding.example:${port}`])
})

t.test('a name with a private address, even among public ones, is refused before anything is sent', async t => {
  let reached = false
  const { port } = await start(t, () => { reached = true })
  for (const addresses of [LOCAL, [{ address: '93.184.216.34', family: 4 }, ...LOCAL], []]) {
    const sent = post(new URL(`http://app.example:${port}/`), {}, '{}',
      { privateAllowed: false, resolve: async () => addresses })
    await t.rejects(sent, /private or special address|no address/)
  }
  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '127.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost']) {
    await t.rejects(post(new URL(`http://${host}:${port}/`), {}, '{}', { privateAllowed: false }),
      /private or special address/, host)
  }
  t.notOk(reached)
})

t.test('special addresses', async t => {
  for (const address of [
    '0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.1',
    '192.168.1.1', '198.18.0.1', '192.0.2.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255',
    '::', '::1', '::ffff:10.0.0.1', '::ffff:a00:1', '::ffff:93.184.216.34', '64:ff9b::a00:1', '64:ff9b:1::1', '100::1',
    'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '2001:db8::1', '2001::1',
    '2002:a00:1::', '::127.0.0.1', '3fff::1', '5f00::1', 'no address', '',
  ]) t.notOk(isPublic(address), address)
  for (const address of ['8.8.8.8', '93.184.216.34', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1']) {
    t.ok(isPublic(address), address)
  }
})

t.test('addresses of endpoints: https in production, no credentials', async t => {
  const rules = { production: true, privateAllowed: false }
  for (const url of [
    'http://app.example/', 'ftp://app.example/', 'https://a:b@app.example/', 'https://127.0.0.1/', 'javascript:1', '',
  ]) t.throws(() => checkUrl(url, rules), RefusedAddress, url)
  t.equal(checkUrl('https://app.example/hooks?a=1#part', rules).href, 'https://app.example/hooks?a=1')
  t.equal(checkUrl('http://app.example/', { ...rules, production: false }).hostname, 'app.example')
  t.equal(checkUrl('https://[::1]/', { ...rules, privateAllowed: true }).hostname, '[::1]')
  t.match(await resolveHost(new URL('https://[2606:4700::1111]/'), { privateAllowed: false }),
    [{ address: '2606:4700::1111', family: 6 }])
})

t.test('TLS: a certificate that is not trusted, or is for another name, is refused', async t => {
  const dir = makeFolder(t)
  const certificate = makeCertificate(dir)
  const names: Array<string | false | undefined | null> = []
  const server = https.createServer({ cert: certificate, key: readFileSync(join(dir, 'certificate.key')) },
    (_request, response) => response.end())
  server.on('secureConnection', socket => names.push(socket.servername))
  server.on('tlsClientError', () => {})
  const port = await listen(t, server)
  const resolve = async () => LOCAL
  const send = (host: string) => post(new URL(`https://${host}:${port}/`), {}, '{}', { ...allow, resolve })
  await t.rejects(send('localhost'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })

  const trusted = tls.getCACertificates('default')
  tls.setDefaultCACertificates([...trusted, certificate])
  t.teardown(() => tls.setDefaultCACertificates(trusted))
  t.equal((await send('localhost')).status, 200)
  t.equal(names.at(-1), 'localhost', 'the name is asked for, not the address')
  await t.rejects(send('other.example'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
})

t.test('a connection that breaks', async t => {
  const url = await start(t, request => request.socket.destroy())
  await t.rejects(post(url, {}, '{}', allow), { code: 'ECONNRESET' })
  const closing = http.createServer()
  closing.listen(0, '127.0.0.1')
  await once(closing, 'listening')
  const { port } = closing.address() as { port: number }
  closing.close()
  await once(closing, 'close')
  await t.rejects(post(new URL(`http://127.0.0.1:${port}/`), {}, '{}', allow), { code: 'ECONNREFUSED' })
})
