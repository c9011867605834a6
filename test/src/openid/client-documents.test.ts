// Metadata documents of applications on hosts that are hostile, or whose address leads where it must not.
import http from 'node:http'
import t, { type Test } from 'tap'
import { documentId, isDocumentUrl, readDocument, UNREADABLE } from '../../../src/openid/client-documents.ts'
import { listen } from '../../support/receiver.ts'

const LOCAL = { address: '127.0.0.1', family: 4 }
const allow = { production: false, privateAllowed: true, brand: 'Gatehouse' }
const refuse = { ...allow, privateAllowed: false }

async function start (t: Test, handle: http.RequestListener) {
  return `http://127.0.0.1:${await listen(t, http.createServer(handle))}/agent.json`
}

const document = (url: string) =>
  JSON.stringify({ client_id: url, client_name: 'Agent', redirect_uris: ['https://agent.example/callback'] })

t.test('a document', async t => {
  let headers: http.IncomingHttpHeaders = {}
  const url: string = await start(t, (request, response) => {
    headers = request.headers
    response.end(document(url))
  })
  t.match(await readDocument(url, allow), { kind: 'public', name: 'Agent', trusted: false, resources: [] })
  t.match(headers, { accept: 'application/json' })
  t.notOk(headers.cookie)
})

t.test('slow: no answer, and one that never ends', async t => {
  const silent = await start(t, () => {})
  await t.rejects(readDocument(silent, { ...allow, timeout: 200 }), { message: 'No answer within 0.2 seconds.' })
  const dripping = await start(t, (_request, response) => {
    response.write('{')
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  })
  await t.rejects(readDocument(dripping, { ...allow, timeout: 1_000 }), { message: /too large/ })
})

t.test('a huge document: no more than 16 KiB are read', async t => {
  let written = 0
  const url = await start(t, (_request, response) => {
    const fill = () => {
      while (!response.destroyed && written < 64 * 1024 * 1024) {
        written += 65_536
        if (!response.write(' '.repeat(65_536))) return response.once('drain', fill)
      }
      return response.end()
    }
    fill()
  })
  await t.rejects(readDocument(url, allow), { code: 'invalid_client', message: /too large/ })
  t.ok(written < 64 * 1024 * 1024, `${written} bytes`)
})

t.test('a name that leads to a private address, among public ones, or at the second time', async t => {
  let asked = 0
  const url = await start(t, (_request, response) => {
    asked++
    response.end()
  })
  const { port } = new URL(url)
  const named = `http://agent.example:${port}/agent.json`
  for (const addresses of [[LOCAL], [{ address: '203.0.114.1', family: 4 }, LOCAL], [{ address: '::1', family: 6 }]]) {
    await t.rejects(readDocument(named, { ...refuse, resolve: async () => addresses }), { message: UNREADABLE })
  }
  let resolved = 0
  const rebinding = async () => {
    resolved++
    return resolved === 1 ? [{ address: '127.0.0.2', family: 4 }] : [LOCAL]
  }
  await t.rejects(readDocument(named, { ...allow, resolve: rebinding, timeout: 2_000 }))
  t.strictSame({ resolved, asked }, { resolved: 1, asked: 0 }, 'the connection goes to the address that was checked')
})

t.test('in production only https:', async t => {
  await t.rejects(readDocument('http://agent.example/agent.json', { ...allow, production: true }),
    { code: 'invalid_client', message: UNREADABLE })
})

t.test('addresses that can be a client_id, each with an id of its own', async t => {
  for (const url of [
    'https://agent.example/a.json', 'https://agent.example:8443/a?b=c', 'https://xn--bcher-kva.example/a',
  ]) {
    t.ok(isDocumentUrl(url), url)
    t.match(documentId(url), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  }
  t.not(documentId('https://agent.example/a'), documentId('https://agent.example/b'))
  for (const url of [
    'https://agent.example', 'https://agent.example/', 'https://AGENT.example/a', 'https://agent.example/a/../b',
    'https://agent.example/%2e%2e/b', 'https://agent.example/a#', 'https://bücher.example/a',
    'https://agent.example\\a',
    'https:agent.example/a', 'https://agent.example:443/a', 'javascript:alert(1)', 'data:application/json,{}',
    'file:///etc/passwd', ' https://agent.example/a', '3f6d2c1e-9b7a-4c55-8a1f-0e2d4b6c8a90', '',
  ]) t.notOk(isDocumentUrl(url), url)
  t.notOk(isDocumentUrl(`https://agent.example/${'a'.repeat(1_000)}`))
})
