import type { Visitor } from '../engines/visitor.ts'
import type { Gallery } from './gallery.ts'
import { ASKED } from './interaction.ts'
import { openDashboard, type Scene } from './scenes.ts'

/** What an application that registered itself asks for. */
const UNVERIFIED = {
  ...ASKED,
  application: { ...ASKED.application, unverified: { document: null, onDevice: false } },
}

/** The question of an application to the user who is signed in. */
async function openInteraction (page: Visitor, gallery: Gallery, asked: typeof ASKED | undefined, path = '') {
  if (!(await page.url()).includes('/dashboard')) await openDashboard(page, gallery)
  gallery.interaction.current = asked
  await page.open(`${gallery.url}/oidc/interaction/x${path}`)
  await page.until(asked ? '#request' : '#failure')
}

const openIdPage = (name: string, values: Record<string, string> = {}): Scene => (page, { url }) =>
  page.open(`${url}/oidc/page/${name}?${new URLSearchParams({ xsrf: 'x', ...values })}`)

/** The pages of the OpenID provider. */
export const OPENID_SCENES: Record<string, Scene> = {
  consent: (page, gallery) => openInteraction(page, gallery, ASKED),
  'consent-unverified': (page, gallery) => openInteraction(page, gallery, UNVERIFIED),
  'consent-expired': (page, gallery) => openInteraction(page, gallery, undefined),
  'consent-proof': (page, gallery) => openInteraction(page, gallery, ASKED, '/confirm'),
  async 'consent-second-factor' (page, gallery) {
    await openInteraction(page, gallery, { ...ASKED, secondFactor: true }, '/confirm')
  },
  async 'consent-code' (page, gallery) {
    await openDashboard(page, gallery)
    await gallery.addTotp()
    await openInteraction(page, gallery, { ...ASKED, secondFactor: true }, '/confirm')
  },
  device: openIdPage('device'),
  'device-wrong': openIdPage('device', { typed: 'ABCD', problem: 'NotFoundError' }),
  'device-confirm': openIdPage('deviceConfirm'),
  'device-operator': openIdPage('deviceConfirm', { forOperators: 'yes' }),
  'device-done': openIdPage('deviceDone'),
  'oidc-logout': openIdPage('logout', { action: '/', application: 'Photo Album' }),
  'signed-out': openIdPage('signedOut', { application: 'Photo Album' }),
  'oidc-error': openIdPage('error', { code: 'invalid_redirect_uri', description: 'not one of the redirect URIs' }),
  'oidc-unavailable': openIdPage('error', { code: 'unavailable' }),
}
