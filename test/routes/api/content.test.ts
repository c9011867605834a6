import t from 'tap'
import { createBrowser, createUser } from '../../support/browser.ts'
import { build } from '../../support/build.ts'

t.test('GET /api/content, /api/content/:slug: signed in (200), not signed in (401)', async t => {
  const { app, owner } = await build(t)
  await owner.query(`
    INSERT INTO content (slug, title, body, published_at) VALUES
      ('old', 'Old', 'o', '2020-01-01'),
      ('new', 'New', 'n', '2024-01-01'),
      ('later', 'Later', 'l', now() + interval '1 day')`)
  const user = await createUser(owner)
  const browser = createBrowser(app)
  for (const url of ['/api/content', '/api/content/new']) t.equal((await browser.get(url)).statusCode, 401, url)

  await browser.signIn(user.username)
  const list = await browser.get('/api/content')
  t.equal(list.statusCode, 200)
  t.strictSame(list.json(), {
    content: [
      { slug: 'new', title: 'New', publishedAt: '2024-01-01T00:00:00.000Z' },
      { slug: 'old', title: 'Old', publishedAt: '2020-01-01T00:00:00.000Z' },
    ],
  })
  t.strictSame((await browser.get('/api/content/new')).json(), {
    slug: 'new',
    title: 'New',
    publishedAt: '2024-01-01T00:00:00.000Z',
    body: 'n',
  })
  for (const slug of ['missing', 'later']) t.equal((await browser.get(`/api/content/${slug}`)).statusCode, 404, slug)
  t.equal((await browser.get('/api/content/No%20Slug')).statusCode, 400)
})
