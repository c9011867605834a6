import t from 'tap'
import { createBrowser, createUser, PASSWORD } from '../../support/browser.ts'
import { openTerminal } from '../../support/cli/terminal.ts'
import { NEW_PASSWORD, setUp, statusOf } from '../../support/cli/users.ts'

const { app, owner, env } = await setUp()

const [QUESTION, REPEAT] = ['New password (not shown):', 'Repeat the password:']
const AGAIN = 'Try again, or press Ctrl-C to cancel.'

t.test('user set-password in a terminal: asks twice without echo, and again after a mistake (0)', async t => {
  const { username } = await createUser(owner)
  const { shows, type, ended, received } = openTerminal(t, ['user', 'set-password', username], env)
  const shown = [QUESTION]
  await shows(...shown)

  for (const [weak, reason] of [
    ['', 'No password was given. Type it, or send it to standard input.'],
    ['velvet-Anchor-moss-quilt', 'Password must contain numbers'],
  ]) {
    type(`${weak}\r`)
    shown.push(reason as string, AGAIN, QUESTION)
    await shows(...shown)
  }

  type(`${NEW_PASSWORD}\r`)
  await shows(...shown, REPEAT)
  type('another-Anchor-78-moss!\r')
  shown.push(REPEAT, 'The passwords differ.', AGAIN, QUESTION)
  await shows(...shown)

  type(`${NEW_PASSWORD}\r`)
  await shows(...shown, REPEAT)
  type(`${NEW_PASSWORD}\r`)
  shown.push(REPEAT, `The password of ${username} is set. All sessions have ended.`)
  t.strictSame(await ended(), { code: 0, echo: 'on', lines: shown })
  t.notMatch(received(), /nchor|quilt/, 'no typed character is shown')
  t.equal(await statusOf(createBrowser(app).signIn(username, NEW_PASSWORD)), 200)
})

t.test('user set-password in a terminal: Ctrl-C while the password is repeated changes nothing (130)', async t => {
  const { username } = await createUser(owner)
  const { shows, type, ended, received } = openTerminal(t, ['user', 'set-password', username], env)
  await shows(QUESTION)
  type(`${NEW_PASSWORD}\r`)
  await shows(QUESTION, REPEAT)
  type(`${NEW_PASSWORD}\u0003`)
  t.strictSame(await ended(), { code: 130, echo: 'on', lines: [QUESTION, REPEAT, 'Cancelled. Nothing was changed.'] })
  t.notMatch(received(), 'nchor')
  t.equal(await statusOf(createBrowser(app).signIn(username, PASSWORD)), 200)
})

t.test('user add in a terminal (0)', async t => {
  const { shows, type, ended } = openTerminal(t, ['user', 'add', 'ada', 'ada@example.com', '--verified'], env)
  await shows(QUESTION)
  type(`${NEW_PASSWORD}\r`)
  await shows(QUESTION, REPEAT)
  type(`${NEW_PASSWORD}\r`)
  t.match(await ended(), { code: 0, echo: 'on', lines: [QUESTION, REPEAT, /^Added ada with the id \d+\.$/] })
  t.equal(await statusOf(createBrowser(app).signIn('ada', NEW_PASSWORD)), 200)
})

t.test('user delete in a terminal: asks for the username (1, 0)', async t => {
  const { id, username, email } = await createUser(owner)
  const question = `Delete ${username} (${email}) and all its data? Type the username:`
  for (const [typed, code, says] of [
    ['ada', 1, 'This is another username. Nothing was deleted.'],
    [username, 0, `${username} is deleted, with all data of the account.`],
  ] as const) {
    const { shows, type, ended } = openTerminal(t, ['user', 'delete', email], env)
    await shows(question)
    t.equal(await owner.query('SELECT FROM users WHERE id = $1', [id]).then(({ rowCount }) => rowCount), 1)
    type(`${typed}\r`)
    t.strictSame(await ended(), { code, echo: 'on', lines: [`${question} ${typed}`, says] })
  }
  t.equal((await owner.query('SELECT FROM users WHERE id = $1', [id])).rowCount, 0)
})
