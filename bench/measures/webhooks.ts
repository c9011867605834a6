import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Bench } from '../bench.ts'
import { BROWSERS, NO_LIMITS, serviceSettings, startGatehouse } from '../contenders/contenders.ts'
import { createCosts } from '../figures/costs.ts'
import { IMAGE_SETTINGS } from '../environment/install.ts'
import { startReceiver } from '../environment/receiver.ts'
import type { Result } from '../figures/results.ts'
import { alternate, ratio, spread } from '../figures/rounds.ts'
import { successfulSignIns } from '../workloads/sign-ins.ts'

type Costs = ReturnType<typeof createCosts>

const run = promisify(execFile)
const COST = 10

/**
 * What webhooks take from sign-ins: logins a second of one instance, with no endpoint, with one that gets all events,
 * and with one that never answers. The messages of a round are dropped after it, so that each begins without any.
 */
export async function measureWebhooks (bench: Bench): Promise<Result[]> {
  const { load, onEnd, options: { quick, rounds }, service, stage } = bench
  const receiver = await startReceiver(stage.dir, onEnd)
  const settings = { ...NO_LIMITS, WEBHOOK_PRIVATE: 'allow', NODE_EXTRA_CA_CERTS: receiver.certificate }
  const gatehouse = await bench.start(startGatehouse(stage, service.program, COST, settings))
  const { database, processorTime } = gatehouse
  const env = { ...serviceSettings(stage, database, COST, settings), ...IMAGE_SETTINGS, PATH: process.env.PATH }
  await run(process.execPath, [service.program, 'webhook', 'add', receiver.url, '--events', '*'], { env })

  const [none, all, silent] = [1, 2, 3].map(() => createCosts(stage, { Gatehouse: processorTime })) as [
    Costs, Costs, Costs]
  const messages: number[] = []
  async function logins (costs: Costs, events: string[], path = ''): Promise<number> {
    await stage.query(database, 'UPDATE webhooks SET events = $1, url = $2', [events, receiver.url + path])
    const before = receiver.received()
    const outcome = await costs.during(
      () => successfulSignIns(gatehouse, load, { connections: BROWSERS, seconds: quick ? 4 : 10 }))
    if (costs === all) messages.push((receiver.received() - before) / (outcome.statuses['200'] ?? 1))
    await stage.query(database, "UPDATE webhooks SET events = '{}'")
    await stage.query(database, 'DELETE FROM webhook_deliveries')
    return outcome.rate
  }

  const rates = await alternate({ warmUp: 2, rounds }, {
    'no webhook': () => logins(none, []),
    'a webhook for all events': () => logins(all, ['*']),
    'a webhook that never answers': () => logins(silent, ['*'], 'silent'),
  }, bench.progress)
  if (receiver.received() === 0) throw new Error('no message was sent')
  return [{
    id: 'webhooks',
    title: `Logins with and without a webhook, bcrypt cost ${COST}`,
    ratios: [
      ratio('logins: a webhook for all events ÷ none', rates['a webhook for all events'], rates['no webhook']),
      ratio('logins: a webhook that never answers ÷ none', rates['a webhook that never answers'], rates['no webhook']),
    ],
    figures: [
      ...Object.entries(rates).map(([label, values]) => ({ label, unit: '/s', ...spread(values) })),
      { label: 'messages for each login, a webhook for all events', unit: '', ...spread(messages.slice(2)) },
      ...none.figures('a login, no webhook', 2),
      ...all.figures('a login, a webhook for all events', 2),
      ...silent.figures('a login, a webhook that never answers', 2),
    ],
    notes: [`${receiver.received()} messages were received. Events are sealed once a minute meanwhile.`],
  }]
}
