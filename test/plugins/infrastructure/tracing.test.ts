import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createUser, PASSWORD } from '../../support/browser.ts'
import { BASE_SETTINGS, createDatabase, redisUrl, secrets, withoutRedis } from '../../support/build.ts'
import { lookInside, openToQuestions } from '../../support/inspect-process.ts'
import { eventually } from '../../support/patience.ts'
import { gatehouse } from '../../support/process.ts'

// Most of the time these wait for a process.
t.jobs = 3

interface Attribute {
  key: string
  value: { stringValue?: string, intValue?: number }
}
interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: Attribute[]
}

const valueOf = ({ attributes }: Span, key: string) => {
  const { stringValue, intValue } = attributes.find(attribute => attribute.key === key)?.value ?? {}
  return stringValue ?? intValue
}

/** A collector: accepts OTLP over HTTP as JSON. */
async function startCollector (t: Test) {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    if (request.method === 'POST' && request.url === '/v1/traces') bodies.push(await text(request))
    response.setHeader('content-type', 'application/json').end('{}')
  }).listen(0, '127.0.0.1')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')

  const batches = () => bodies.flatMap(body => JSON.parse(body).resourceSpans)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    services: (): string[] =>
      batches().flatMap(({ resource }) =>
        resource.attributes
          .filter(({ key }: Attribute) => key === 'service.name')
          .map(({ value }: Attribute) => value.stringValue)
      ),
    spans: (): Span[] =>
      batches()
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans),
  }
}

async function start (t: Test, given: Record<string, string>) {
  const { owner, settings } = await createDatabase(t)
  const service = gatehouse(['serve'], {
    ...BASE_SETTINGS,
    ...settings,
    DRAIN_SECONDS: '0',
    ...openToQuestions,
    ...given,
  })
  t.teardown(() => service.child.kill('SIGKILL'))
  const [, url = ''] = await service.until(/Server listening at (http:\/\/127\.0\.0\.1:\d+)/)
  return { owner, service, url }
}

/** The second comes when the service has been waiting for it for a while. */
async function * inTwoPieces (body: string) {
  yield Buffer.from(body.slice(0, 10))
  await sleep(200)
  yield Buffer.from(body.slice(10))
}

const usesOpenTelemetry = async (service: ReturnType<typeof gatehouse>) =>
  (await lookInside(service)).files.some(file => file.includes('/@opentelemetry/'))

t.test('POST /login: one trace, without secrets or personal data', { skip: withoutRedis }, async t => {
  const collector = await startCollector(t)
  const { owner, service, url } = await start(t, {
    REDIS_URL: await redisUrl(t),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: 'sign-in-of-acme',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  })
  const { username, email } = await createUser(owner, { username: 'traced-person' })
  const [traceId, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']

  // The second sign-in stores the language of the browser, in a transaction.
  for (let time = 0; time < 2; time++) {
    const answer = await fetch(`${url}/login?code=in-the-query`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        traceparent: `00-${traceId}-${parent}-01`,
        'accept-language': ['xx', 'de'][time] as string,
      },
      body: inTwoPieces(JSON.stringify({ username, password: PASSWORD })),
      duplex: 'half',
    } as unknown as RequestInit)
    t.equal(answer.status, 200)
    for (const cookie of answer.headers.getSetCookie()) secrets.add(cookie.split(/[=;]/)[1] as string)
  }
  await fetch(`${url}/nowhere/at-all`)
  await fetch(`${url}/api/auth/verify`)

  await eventually(collector.spans, spans => spans.filter(({ kind }) => kind === 2).length === 4)
  t.strictSame([...new Set(collector.services())], ['sign-in-of-acme'])
  const spans = collector.spans()
  const [first, second] = spans.filter(({ name }) => name === 'POST /login')
  for (const visit of [first, second]) {
    t.match(visit, { traceId, parentSpanId: parent, kind: 2 })
    t.equal(valueOf(visit as Span, 'http.response.status_code'), 200)
  }
  const partsOf = (visit?: Span) => spans.filter(({ parentSpanId }) => parentSpanId === visit?.spanId)
  for (const visit of [first, second]) {
    const systems = partsOf(visit).map(part => valueOf(part, 'db.system.name'))
    t.equal(systems.filter(system => system === 'redis').length, 7,
      'two attempts taken, two given back; the successes read and counted; a new browser counted')
    t.ok(systems.filter(system => system === 'postgresql').length >= 2)
  }
  t.ok(
    partsOf(second).some(part => String(valueOf(part, 'db.query.text')).includes('SET language')),
    'the queries of a transaction are part of the trace'
  )
  t.ok(
    spans.some(({ name }) => name === 'GET none'),
    'an unknown path has no name'
  )

  const sent = collector.bodies.join('')
  for (const secret of [...secrets, username, email, 'in-the-query', 'at-all']) {
    t.notOk(sent.includes(secret), secret.slice(0, 12))
  }
  t.ok(await usesOpenTelemetry(service))
})

t.test('pending spans are sent when the service stops', async t => {
  const collector = await startCollector(t)
  const { service, url } = await start(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '600000',
  })
  await fetch(`${url}/health/live`)
  service.child.kill('SIGTERM')
  t.match(await service.ended, { code: 0 })
  t.strictSame(
    collector.spans().map(({ name }) => name),
    ['GET /health/live']
  )
  t.strictSame(collector.services(), ['gatehouse'])
})

t.test('collector down or hanging: the service works and stops in order', async t => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  t.teardown(() => {
    silent.closeAllConnections()
    silent.close()
  })
  await once(silent, 'listening')
  for (const port of [9, (silent.address() as AddressInfo).port]) {
    const { service, url } = await start(t, {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_BSP_SCHEDULE_DELAY: '600000',
    })
    t.equal((await fetch(`${url}/health/live`)).status, 200)
    service.child.kill('SIGTERM')
    t.match(await service.ended, { code: 0, stderr: '' })
  }
})

t.test('OTEL_TRACES_SAMPLER=always_off: nothing is sent', async t => {
  const collector = await startCollector(t)
  const { service, url } = await start(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: 'always_off',
  })
  await fetch(`${url}/health/live`)
  service.child.kill('SIGTERM')
  await service.ended
  t.strictSame(collector.bodies, [])
})

// Without the variables: see the test of the metrics.
t.test('with OTEL_SDK_DISABLED, nothing of OpenTelemetry is loaded', async t => {
  const given = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' }
  const { service } = await start(t, given)
  t.notOk(await usesOpenTelemetry(service))
})
