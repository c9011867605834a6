import type { Browser } from '../browser.ts'

/** The fields of the form on a page, with their values. */
export const fieldsOf = (html: string) => Object.fromEntries(
  [...html.matchAll(/<input[^>]* name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]))

export const submitCode = (browser: Browser, fields: Record<string, string>) => browser.send('POST', '/oidc/device',
  new URLSearchParams(fields).toString() as never, { 'content-type': 'application/x-www-form-urlencoded' })

/** The user types in the code that the device shows. */
export async function enterCode (browser: Browser, code: string) {
  const { body } = await browser.get('/oidc/device')
  return submitCode(browser, { ...fieldsOf(body), user_code: code })
}

/** And allows the device to sign in. */
export async function allowDevice (browser: Browser, code: string) {
  const { body } = await enterCode(browser, code)
  return submitCode(browser, { ...fieldsOf(body), confirm: 'yes' })
}
