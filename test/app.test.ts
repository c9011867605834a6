import { readdirSync } from 'node:fs'
import t from 'tap'
import { build } from './helper.ts'

const ROUTES = [
  'GET /health',
  'GET /health/live',
  'GET /health/ready',
]

t.test('the route table is complete', async t => {
  const routes: string[] = []
  await build(t, {
    before: app => app.addHook('onRoute', ({ method, url }) => {
      routes.push(...[method].flat().filter(method => method !== 'HEAD').map(method => `${method} ${url}`))
    }),
  })
  t.strictSame(routes.sort(), ROUTES.sort())
})

t.test('every file in plugins/ is a loaded plugin of that name', async t => {
  const { app } = await build(t)
  const names = readdirSync('plugins').map(file => file.replace(/\.ts$/, ''))
  t.strictSame(names, ['cache', 'database', 'drain', 'headers', 'health', 'not-found'])
  for (const name of names) t.ok(app.hasPlugin(name), name)
})
