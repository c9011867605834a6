import type { Visitor } from '../engines/visitor.ts'
import type { Gallery } from './gallery.ts'
import { submit, type Scene } from './scenes.ts'

async function ask (page: Visitor, { url }: Gallery, email: string) {
  await page.open(`${url}/login/mail`)
  await page.fill('#email', email)
  await submit(page, 'ask')
  await page.until('#enter')
}

async function enterCode (page: Visitor, gallery: Gallery, email: string) {
  const { code } = await gallery.signInMail(() => ask(page, gallery, email))
  await page.fill('#mail-code', code)
}

/** Pages of a service with sign-in by mail. */
export const MAIL_SCENES: Record<string, Scene> = {
  'mail-login': (page, { url }) => page.open(`${url}/login`),
  async 'mail-login-ways' (page, { url }) {
    await page.open(`${url}/login`)
    await page.fill('#username', 'ada@example.org')
    await submit(page, 'login')
    await page.until('#use-mail')
  },
  'mail-register': (page, { url }) => page.open(`${url}/register`),
  'mail-ask': (page, { url }) => page.open(`${url}/login/mail`),
  async 'mail-code' (page, gallery) {
    await ask(page, gallery, 'ada@example.org')
    await page.fill('#mail-code', '123')
  },
  async 'mail-wrong' (page, gallery) {
    await ask(page, gallery, 'ada@example.org')
    await page.fill('#mail-code', '000000')
    await page.until('#enter .complaint')
  },
  async 'mail-link' (page, gallery) {
    const { link } = await gallery.signInMail(() => ask(page, gallery, 'ada@example.org'))
    await page.open(link)
    await page.until('#link')
  },
  async 'mail-link-elsewhere' (page, gallery) {
    const { link } = await gallery.signInMail(() => gallery.askElsewhere('ada@example.org'))
    await page.open(link)
    await page.until('#link')
  },
  async 'mail-link-expired' (page, { url }) {
    await page.open(`${url}/login/mail#token=x`)
    await page.until('#ask-notice')
  },
  async 'mail-new' (page, gallery) {
    await enterCode(page, gallery, 'grace@example.org')
    await page.until('#new-account')
  },
  async 'mail-passkey' (page, gallery) {
    await enterCode(page, gallery, 'ada@example.org')
    // Without passkeys, the dashboard follows.
    await page.until('#offer-passkey, main.own')
  },
}
