import t from 'tap'
import { createUser } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'

for (const javaScriptEnabled of [true, false]) {
  t.test(`the page to sign out, ${javaScriptEnabled ? 'with' : 'without'} scripts`, {
    skip: withoutChromium,
  }, async t => {
    const service = await openService(t)
    const { id, username } = await createUser(service.owner)
    const person = await newPerson(t, await startChromium(), { javaScriptEnabled })
    await person.signIn(service, username)
    const page = await person.newPage()
    await page.goto(`${service.url}/logout?next=/health`)
    t.equal((await service.app.sessionsStore.live(id)).length, 1, 'a visit alone signs nobody out')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${service.url}/health`)
    t.strictSame(await service.app.sessionsStore.live(id), [])
    const left = (await person.context.cookies()).map(({ name }) => name)
    t.notOk(left.some(name => name.endsWith('_token')), 'no token cookies are left')
  })
}
