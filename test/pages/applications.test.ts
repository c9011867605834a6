import t from 'tap'
import { addApplication, addGrant, addOfflineSession, allowApplication } from '../support/applications.ts'
import { createUser } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { violationsInBothColors } from '../support/pages/axe.ts'

t.test('connected applications on the dashboard', { skip: withoutChromium }, async t => {
  const service = await openService(t)
  const { url, owner, app } = service
  const browser = await startChromium()

  async function signedIn () {
    const user = await createUser(owner)
    const person = await newPerson(t, browser, { reducedMotion: 'reduce' })
    await person.signIn(service, user.username)
    const [{ id: sid = '' } = {}] = await app.sessionsStore.live(user.id)
    return { user, sid, person, page: await person.newPage() }
  }

  await t.test('the list, and a session of an application among the devices; disconnected at once', async t => {
    const { user, sid, page } = await signedIn()
    const album = await addApplication(owner, '<i>Album on Rails</i>')
    await allowApplication(owner, user.id, album, ['openid', 'profile', 'email', 'offline_access', 'files:write'])
    await addGrant(owner, user.id, album, await addOfflineSession(owner, user.id, album))
    const zoo = await addApplication(owner, 'Zoo', 'http://127.0.0.1:8080/callback')
    await addGrant(owner, user.id, zoo, sid)

    await page.goto(`${url}/dashboard/applications?language=de`)
    await page.locator('#applications li').first().waitFor()
    t.match(await page.locator('#devices').innerText(), '<i>Album on Rails</i>', 'its name is not translated')
    await page.goto(`${url}/dashboard/applications?language=en`)
    await page.locator('#applications li').first().waitFor()
    const [first = '', second = ''] = await page.locator('#applications li').allInnerTexts()
    t.match(first, new RegExp([
      '^<i>Album on Rails</i> album\\.example', 'Who you are · Your name and your username · Your email address · ' +
      'Access that continues after you sign out here · files:write',
      'Connected yesterday last used 1 hour ago', 'Disconnect',
    ].join('\\s+')))
    t.match(second, /^Zoo 127\.0\.0\.1:8080\s/)
    t.strictSame(await violationsInBothColors(page), [])

    const disconnect = page.getByRole('button', { name: 'Disconnect <i>Album on Rails</i>' })
    await disconnect.click()
    await page.locator('#question-cancel').click()
    t.equal(await page.locator('#applications li').count(), 2, 'nothing without the answer')
    await disconnect.click()
    await page.locator('#question-agree').click()
    await page.getByText('<i>Album on Rails</i> was disconnected.').waitFor()
    await page.locator('#applications li').nth(1).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Devices' }).click()
    await page.getByText('Application disconnected').waitFor()
    t.equal(await page.locator('#devices li').count(), 1, 'its session has ended')
    t.strictSame((await app.sessionsStore.live(user.id)).map(({ id }) => id), [sid])
    t.match(await app.connectedApplications.list(user.id), [{ name: 'Zoo' }])
  })

  await t.test('without applications: not shown', async t => {
    const { page } = await signedIn()
    await page.goto(`${url}/dashboard`)
    await page.locator('#account').waitFor()
    t.notOk(await page.getByRole('link', { name: 'Applications' }).isVisible())
  })

  await t.test('an instance of the version before does not know the list: the dashboard works without it', async t => {
    const { person, page } = await signedIn()
    person.expect('404 /api/auth/applications')
    await page.route(`${url}/api/auth/applications`, route => route.fulfill({ status: 404, json: {} }))
    await page.goto(`${url}/dashboard`)
    await page.locator('#account').waitFor()
    t.notOk(await page.getByRole('link', { name: 'Applications' }).isVisible())
  })
})

t.test('without applications, and OPENID=on: the dashboard says so', { skip: withoutChromium }, async t => {
  const service = await openService(t, { OPENID: 'on' })
  const person = await newPerson(t, await startChromium())
  await person.signIn(service, (await createUser(service.owner)).username)
  const page = await person.newPage()
  await page.goto(`${service.url}/dashboard`)
  await page.getByRole('link', { name: 'Applications' }).click()
  await page.getByText('No application is connected to your account.').waitFor()
})
