import { randomUUID } from 'node:crypto'
import { createBrowser, createUser } from '../browser.ts'
import type { Visitor } from '../engines/visitor.ts'
import type { openOperatorPage } from './operator.ts'

type OperatorPage = Awaited<ReturnType<typeof openOperatorPage>>

const AGENTS = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 ' +
    'Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
]

/** An installation that has been used for days: 240 accounts, with sign-ins that come in waves. */
export async function fillHouse ({ owner, app }: OperatorPage) {
  await owner.query(`
    INSERT INTO users (email, username, name, email_verified_at, created_at)
    SELECT lower(first || '.' || last || n) || '@example.org', lower(left(first, 1) || last || n), first || ' ' || last,
      CASE WHEN n % 9 > 0 THEN now() END, now() - n * interval '7 hours'
    FROM generate_series(1, 240) n,
      LATERAL (SELECT (ARRAY['Ada', 'Alan', 'Barbara', 'Edsger', 'Frances', 'Katherine'])[1 + n % 6] AS first,
        (ARRAY['Allen', 'Dijkstra', 'Hamilton', 'Johnson', 'Lovelace', 'Turing', 'Liskov'])[1 + n % 7] AS last) names`)
  await owner.query(`INSERT INTO totp (user_id, secret, confirmed_at)
    SELECT id, 'x', now() FROM users WHERE id % 3 = 0 ON CONFLICT DO NOTHING`)
  await owner.query(`INSERT INTO last_sign_ins
    SELECT id, now() - (id * id % 9000) * interval '3 minutes' FROM users WHERE id % 7 > 0`)
  await owner.query('UPDATE users SET disabled_at = now() WHERE id % 23 = 0')
  await owner.query(`
    INSERT INTO sign_in_counts
    SELECT 'hour', date_trunc('hour', now()) - n * interval '1 hour', kind,
      ceil(size * (1.15 + sin((n - extract(hour FROM now())) * pi() / 12 + 2)) * (1 + (n * 7 % 5) / 10.0))
    FROM generate_series(0, 719) n, (VALUES ('sign_in:password', 60), ('sign_in:passkey', 35), ('sign_in:provider', 25),
      ('failure:firstStep', 9), ('failure:secondFactor', 2), ('failure:provider', 1)) AS kinds (kind, size)`)
  await owner.query(`
    INSERT INTO sign_in_counts
    SELECT 'minute', date_trunc('minute', now()) - n * interval '1 minute', kind, (n * n * 31 + size * n) % (size + 1)
    FROM generate_series(0, 59) n, (VALUES ('sign_in:password', 4), ('sign_in:passkey', 3), ('sign_in:provider', 2),
      ('failure:firstStep', 2)) AS kinds (kind, size)`)
  await owner.query('DELETE FROM account_totals')
  await owner.query(`
    INSERT INTO account_totals
    SELECT now() - n * interval '1 hour', 241, 81, 150 + (60 * sin(n * pi() / 12))::int FROM generate_series(1, 719) n`)
  await app.accountTotals.count()
  await owner.query('UPDATE account_totals SET sessions = 163 WHERE sessions = 0')

  const { id } = await createUser(owner, { username: 'ada', name: 'Ada Lovelace', email: 'ada@example.org' })
  await owner.query("INSERT INTO last_sign_ins VALUES ($1, now() - interval '5 hours')", [id])
  await owner.query("INSERT INTO totp (user_id, secret, confirmed_at) VALUES ($1, 'x', now())", [id])
  await owner.query('INSERT INTO account_data (user_id, data) VALUES ($1, $2)', [
    id, { roles: ['editor'], tenant: { id: 'acme', plan: 'team' } },
  ])
  await owner.query(`
    INSERT INTO auth_events (what, user_id, ip, user_agent, created_at)
    SELECT what, $1, '198.51.100.23', $2::text, now() - n * interval '5 hours'
    FROM unnest($3::text[]) WITH ORDINALITY AS events (what, n)`,
  [id, AGENTS[0], ['sign_in', 'second_factor_failed', 'sign_in_failed', 'totp_added', 'password_changed', 'sign_in']])
  await owner.query(`INSERT INTO auth_events (what, user_id, actor, created_at)
    VALUES ('password_reset_requested', $1, 'operator grace', now() - interval '22 hours')`, [id])
  await owner.query(`
    INSERT INTO refresh_tokens (id, user_id, token, issued_at, expires_at, signed_in_at, ip, user_agent, amr)
    SELECT gen_random_uuid(), $1, sha256(agent::bytea), now() - n * interval '1 hour', now() + interval '6 days',
      now() - n * interval '30 hours', '203.0.113.80', agent, '{pwd}'
    FROM unnest($2::text[]) WITH ORDINALITY AS agents (agent, n)`, [id, AGENTS])
  const hook = randomUUID()
  await owner.query(`INSERT INTO webhooks (id, url, events, secret, notify, created_at, succeeded_at)
    VALUES ($1, 'https://app.example.com/hooks/gatehouse', '{user.created,user.deleted}', 'x', 'ops@example.com',
      now() - interval '9 days', now() - interval '3 minutes')`, [hook])
  await owner.query(`INSERT INTO webhooks (id, url, events, secret, paused_at, paused_for)
    VALUES (gen_random_uuid(), 'https://crm.example.net/in', '{*}', 'x', now(), 'it has failed for a day')`)
  await owner.query(`
    INSERT INTO webhook_deliveries (webhook_id, message_id, type, account_id, data, occurred_at, status, attempts,
      due_at, answer_status, answer, error)
    VALUES ($1, 'a', 'user.created', $2, '{}', now() - interval '2 hours', 'delivered', 1, now(), 204, NULL, NULL),
      ($1, 'b', 'user.deleted', $2, '{}', now() - interval '1 hour', 'failed', 9, now(), 500, 'Internal error', NULL),
      ($1, 'c', 'user.created', $2, '{}', now() - interval '3 minutes', 'waiting', 2, now() + interval '1 day', NULL,
        NULL, 'No answer within 5 seconds.')`, [hook, id])
  const wiki = randomUUID()
  await owner.query(`
    INSERT INTO applications (id, name, kind, redirect_uris, post_logout_uris, backchannel_logout_url, trusted,
      last_used_at)
    VALUES ($1, 'Wiki', 'web', '{https://wiki.example.com/callback,https://wiki.example.net/oauth2/callback}',
        '{https://wiki.example.com/}', 'https://wiki.example.com/backchannel', true, now() - interval '4 minutes'),
      (gen_random_uuid(), 'Example for phones', 'public', '{com.example.app:/callback}', '{}', NULL, false, NULL),
      (gen_random_uuid(), 'Nightly report', 'machine', '{}', '{}', NULL, false, now() - interval '9 hours')`, [wiki])
  for (const attempt of [1, 2, 3]) await createBrowser(app).signIn('ada', `wrong-Guess-${attempt}-again`)
  await app.sealEvents()
  return { ada: id, hook, wiki }
}

type Scene = (page: Visitor, url: string, ids: Awaited<ReturnType<typeof fillHouse>>) => Promise<unknown>

/** The action with this title. */
async function press (page: Visitor, title: string) {
  await page.until('#actions button')
  await page.run(`[...document.querySelectorAll('#actions button')]
    .find(({ textContent }) => textContent.startsWith('${title}')).click()`)
}

/** Each page as it is when its data has loaded. */
export const OPERATOR_SCENES: Record<string, Scene> = {
  async overview (page, url) {
    await page.open(`${url}/`)
    await page.until('#sessions-chart svg')
  },
  async 'overview-month' (page, url) {
    await page.open(`${url}/?period=month`)
    await page.until('#sessions-chart svg')
    await page.until('#sign-ins g')
  },
  async menu (page, url) {
    await page.open(`${url}/accounts`)
    await page.until('#accounts tr')
    // It is in the header of wide screens.
    await page.run("document.getElementById('menu-button').click()")
  },
  async accounts (page, url) {
    await page.open(`${url}/accounts?q=a`)
    await page.until('#accounts tr')
  },
  async 'accounts-new' (page, url) {
    await page.open(`${url}/accounts`)
    await page.until('#accounts tr')
    await page.click('#new-account')
    await page.run(`(() => {
      const way = document.getElementById('new-way')
      way.value = 'password'
      way.dispatchEvent(new Event('change', { bubbles: true }))
    })()`)
  },
  async 'accounts-bulk' (page, url) {
    await page.open(`${url}/accounts?q=turing`)
    await page.until('#accounts tr')
    await page.click('#bulk-open')
    await page.until('#bulk-dialog[open]')
  },
  async 'accounts-bulk-report' (page, url) {
    await page.open(`${url}/accounts?q=grace`)
    await page.until('#accounts tr')
    await page.click('#bulk-open')
    await page.until('#bulk-dialog[open]')
    await page.fill('#bulk-typed', '1')
    await page.click('#bulk-submit')
    await page.until('#bulk-skipped li')
  },
  async events (page, url) {
    await page.open(`${url}/events`)
    await page.until('#events tr')
  },
  async operators (page, url) {
    await page.open(`${url}/operators`)
    await page.until('#operators tr')
  },
  async account (page, url, { ada }) {
    await page.open(`${url}/accounts/${ada}`)
    await page.until('#events li')
  },
  async 'account-question' (page, url, { ada }) {
    await page.open(`${url}/accounts/${ada}`)
    await press(page, 'Disable')
  },
  async 'account-change' (page, url, { ada }) {
    await page.open(`${url}/accounts/${ada}`)
    await press(page, 'Change the profile')
  },
  async 'account-data' (page, url, { ada }) {
    await page.open(`${url}/accounts/${ada}`)
    await page.until('#change-data:not([hidden])')
    await page.run("document.getElementById('change-data').click()")
    await page.until('#data-dialog[open]')
  },
  async 'account-delete' (page, url, { ada }) {
    await page.open(`${url}/accounts/${ada}`)
    await press(page, 'Delete')
  },
  async limits (page, url) {
    await page.open(`${url}/limits`)
    await page.until('#limits li')
  },
  async webhooks (page, url) {
    await page.open(`${url}/webhooks`)
    await page.until('#webhooks a')
  },
  async 'webhooks-add' (page, url) {
    await page.open(`${url}/webhooks`)
    await page.click('#add')
  },
  async webhook (page, url, { hook }) {
    await page.open(`${url}/webhooks/${hook}`)
    await page.click('summary')
  },
  async applications (page, url) {
    await page.open(`${url}/applications`)
    await page.until('#applications a')
  },
  async 'applications-add' (page, url) {
    await page.open(`${url}/applications`)
    await page.click('#add')
  },
  async application (page, url, { wiki }) {
    await page.open(`${url}/applications/${wiki}`)
    await page.see('Last used')
  },
  async service (page, url) {
    await page.open(`${url}/service`)
    await page.click('#verify')
    await page.see('Verified', '#verdict')
  },
  async 'new-account' (page, url) {
    await page.open(`${url}/accounts`)
    await page.click('#new-account')
  },
  async 'overview-hour' (page, url) {
    await page.open(`${url}/?period=hour`)
    await page.until('#sign-ins svg')
    await page.run("document.querySelector('details').open = true")
  },
  nowhere: (page, url) => page.open(`${url}/nowhere`),
}

/** Pages for visitors without a session. */
export const OPEN_SCENES: Record<string, Scene> = {
  'sign-in': (page, url) => page.open(`${url}/sign-in`),
}
