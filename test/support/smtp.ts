import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import root, { type Test } from 'tap'
import { secrets } from './build.ts'
import { eventually } from './patience.ts'

export interface ReceivedMail extends Email {
  /** The recipient in the envelope. */
  reader: string
  token: string
}

/** A refusal, whose text may quote the mail, as with real mail servers. */
interface Refusal { code: number, words (mail: string): string }

/** A real mail server on a free port, with the mails that it accepted. */
export async function startSmtp (t: Pick<Test, 'teardown'>) {
  const mails: ReceivedMail[] = []
  const refusals: Refusal[] = []
  let seen = 0
  let port = 0
  let server: SMTPServer
  let untilOpen = Promise.resolve()
  let goOn = () => {}
  let stalled = 0

  async function receive (raw: string, reader: string) {
    stalled++
    await untilOpen
    stalled--
    const mail = await PostalMime.parse(raw)
    const token = mail.text?.match(/#token=([\w-]+)/)?.[1] ?? ''
    if (token) secrets.add(token)
    const refusal = refusals.shift()
    if (refusal) throw Object.assign(new Error(refusal.words(mail.text ?? '')), { responseCode: refusal.code })
    mails.push({ ...mail, reader, token })
  }

  async function start () {
    server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      closeTimeout: 50,
      onData (stream, session, done) {
        text(stream).then(raw => receive(raw, session.envelope.rcptTo[0]?.address ?? '')).then(() => done(), done)
      },
    })
    server.on('error', () => {})
    await once(server.listen(port, '127.0.0.1'), 'listening')
    port = (server.server.address() as AddressInfo).port
  }

  const stop = () => new Promise<void>(resolve => server.close(resolve))

  await start()
  t.teardown(stop)

  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    start,
    stop,
    /** Refuses the next mails. */
    refuse (times: number, code: number, words: Refusal['words'] = () => 'not now') {
      for (let each = 0; each < times; each++) refusals.push({ code, words })
    },
    /** Accepts a mail but does not respond until released. */
    stall () {
      untilOpen = new Promise(resolve => { goOn = resolve })
    },
    goOn: () => goOn(),
    /** Until a mail has been received that is held. */
    untilStalled: () => eventually(() => stalled, count => count > 0),
    /** All clients have disconnected, and everything that they sent has been read. */
    untilIdle: () => eventually(() => server.connections.size, count => count === 0),
    forget () {
      mails.length = seen = 0
    },
    /** The first mail that was not returned before. */
    async next (): Promise<ReceivedMail> {
      await eventually(() => mails.length, count => count > seen)
      return mails[seen++] as ReceivedMail
    },
  }
}

let shared: ReturnType<typeof startSmtp> | undefined

/** One mail server for all tests of a file, to go with `buildShared`. It forgets the mails of a test at its end. */
export async function shareSmtp (t: Pick<Test, 'teardown'>) {
  shared ??= startSmtp(root)
  const smtp = await shared
  t.teardown(smtp.forget)
  return smtp
}
