import { readdirSync } from 'node:fs'
import t from 'tap'
import { build } from './helper.ts'

const ROUTES = `
  DELETE /api/auth/me
  DELETE /api/auth/sessions
  DELETE /api/auth/sessions/:id
  GET /.well-known/change-password
  GET /api/auth/account
  GET /api/auth/events
  GET /api/auth/me
  GET /api/auth/provider-a
  GET /api/auth/provider-a/callback
  GET /api/auth/provider-b
  GET /api/auth/provider-b/callback
  GET /api/auth/session
  GET /api/auth/sessions
  GET /api/auth/verify
  GET /api/content
  GET /api/content/:slug
  GET /api/csrf-token
  GET /assets/*
  GET /dashboard
  GET /docs
  GET /health
  GET /health/live
  GET /health/ready
  GET /login
  GET /openapi.json
  GET /register
  GET /reset-password
  GET /verify-email
  POST /api/auth/password
  POST /api/auth/password/check
  POST /api/auth/refresh
  POST /api/sensitive
  POST /login
  POST /logout
  POST /register
  POST /reset-password
  POST /reset-password/confirm
  POST /verify-email
  POST /verify-email/resend
`.trim().split(/\s*\n\s*/)

const PLUGINS = [
  'accounts', 'administration', 'cache', 'content', 'cookies', 'csrf', 'database', 'devices', 'docs', 'drain', 'events', 'framing', 'headers', 'health', 'jobs', 'limits', 'mail', 'metrics',
  'not-found', 'oauth', 'one-time-tokens', 'pages', 'passwords', 'purge', 'refresh-tokens', 'same-origin', 'sessions', 'sign-in', 'social-accounts', 'tokens', 'tracing', 'users',
]

t.test('the route table is complete', async t => {
  const routes: string[] = []
  await build(t, {
    before: app => app.addHook('onRoute', ({ method, url }) => {
      routes.push(...[method].flat().filter(method => method !== 'HEAD').map(method => `${method} ${url}`))
    }),
  })
  t.strictSame(routes.sort(), ROUTES)
})

t.test('every file in plugins/ is a loaded plugin of that name', async t => {
  const { app } = await build(t)
  const names = readdirSync('plugins').map(file => file.replace(/\.ts$/, ''))
  t.strictSame(names, PLUGINS)
  for (const name of names) t.ok(app.hasPlugin(name), name)
})

t.test('every route says what it answers with', async t => {
  const silent: string[] = []
  await build(t, {
    before: app => app.addHook('onRoute', ({ method, url, schema }) => {
      if (!schema?.response) silent.push(`${method} ${url}`)
    }),
  })
  t.strictSame(silent, [])
})
