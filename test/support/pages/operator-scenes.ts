import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { createBrowser, createUser } from '../browser.ts'
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
        NULL, 'the endpoint did not answer within 5 seconds')`, [hook, id])
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

type Scene = (page: Page, url: string, ids: Awaited<ReturnType<typeof fillHouse>>) => Promise<unknown>

/** Each page as it is when its data has loaded. */
export const OPERATOR_SCENES: Record<string, Scene> = {
  async overview (page, url) {
    await page.goto(`${url}/`)
    await page.locator('#sessions-chart svg').waitFor()
  },
  async 'overview-month' (page, url) {
    await page.goto(`${url}/?period=month`)
    await page.locator('#sessions-chart svg').waitFor()
    await page.locator('#sign-ins g').nth(12).hover()
  },
  async menu (page, url) {
    await page.goto(`${url}/accounts`)
    await page.locator('#accounts tr').first().waitFor()
    const menu = page.getByRole('button', { name: 'Menu' })
    if (await menu.isVisible()) await menu.click()
  },
  async accounts (page, url) {
    await page.goto(`${url}/accounts?q=a`)
    await page.locator('#accounts tr').first().waitFor()
  },
  async 'accounts-new' (page, url) {
    await page.goto(`${url}/accounts`)
    await page.getByRole('button', { name: 'New account' }).click()
    await page.getByLabel('Password', { exact: true }).selectOption('password')
  },
  async 'accounts-bulk' (page, url) {
    await page.goto(`${url}/accounts?q=turing`)
    await page.getByRole('button', { name: 'Change all of them' }).click()
    await page.getByText('The search finds').waitFor()
  },
  async 'accounts-bulk-report' (page, url) {
    await page.goto(`${url}/accounts?q=grace`)
    await page.getByRole('button', { name: 'Change all of them' }).click()
    await page.getByLabel(/^Type 1/).fill('1')
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('1 skipped').waitFor()
  },
  async events (page, url) {
    await page.goto(`${url}/events`)
    await page.locator('#events tr').first().waitFor()
  },
  async operators (page, url) {
    await page.goto(`${url}/operators`)
    await page.locator('#operators tr').first().waitFor()
  },
  async account (page, url, { ada }) {
    await page.goto(`${url}/accounts/${ada}`)
    await page.locator('#events li').first().waitFor()
  },
  async 'account-question' (page, url, { ada }) {
    await page.goto(`${url}/accounts/${ada}`)
    await page.getByRole('button', { name: 'Disable' }).click()
  },
  async 'account-delete' (page, url, { ada }) {
    await page.goto(`${url}/accounts/${ada}`)
    await page.getByRole('button', { name: 'Delete' }).click()
  },
  async limits (page, url) {
    await page.goto(`${url}/limits`)
    await page.locator('#limits li').first().waitFor()
  },
  async webhooks (page, url) {
    await page.goto(`${url}/webhooks`)
    await page.locator('#webhooks a').first().waitFor()
  },
  async 'webhooks-add' (page, url) {
    await page.goto(`${url}/webhooks`)
    await page.getByRole('button', { name: 'Add a webhook' }).click()
  },
  async webhook (page, url, { hook }) {
    await page.goto(`${url}/webhooks/${hook}`)
    await page.locator('summary').first().click()
  },
  async applications (page, url) {
    await page.goto(`${url}/applications`)
    await page.locator('#applications a').first().waitFor()
  },
  async 'applications-add' (page, url) {
    await page.goto(`${url}/applications`)
    await page.getByRole('button', { name: 'Add an application' }).click()
  },
  async application (page, url, { wiki }) {
    await page.goto(`${url}/applications/${wiki}`)
    await page.getByText('Last used').waitFor()
  },
  async service (page, url) {
    await page.goto(`${url}/service`)
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.locator('#verdict').getByText('Verified').waitFor()
  },
  'sign-in': (page, url) => page.context().clearCookies().then(() => page.goto(`${url}/sign-in`)),
}
