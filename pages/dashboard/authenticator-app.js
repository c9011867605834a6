import { changeConfirmed } from './confirm-identity.js'
import { byId } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'
import { showRecoveryCodes } from './recovery-codes.js'
import { texts } from '../parts/texts.js'

const SVG = 'http://www.w3.org/2000/svg'
const dialog = byId('totp-dialog', HTMLDialogElement)
const form = byId('totp-form', HTMLFormElement)

/** Draws the QR code anew: the policy of the page allows no markup that is made from text. @param {string} svg */
function drawQr (svg) {
  const [, size = ''] = svg.match(/viewBox="0 0 (\d+) /) ?? []
  const [, shape = ''] = svg.match(/<path [^>]*\bd="([^"]+)"/) ?? []
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', shape)
  const image = byId('totp-qr', HTMLElement).querySelector('svg')
  image?.setAttribute('viewBox', `0 0 ${size} ${size}`)
  image?.replaceChildren(path)
}

/** Shows the key of a new authenticator app, unless the user does not confirm their identity. */
export async function setUpAuthenticatorApp () {
  const response = await changeConfirmed('POST', '/api/auth/factors/totp')
  if (!response) return
  const { secret, uri, qr } = await response.json()
  form.reset()
  drawQr(qr)
  byId('totp-secret', HTMLElement).textContent = secret.replace(/.{4}(?=.)/g, '$& ')
  byId('totp-link', HTMLAnchorElement).href = uri
  dialog.showModal()
  byId('totp-code', HTMLInputElement).focus()
}

/** @param {() => Promise<void>} onAdded Called when the recovery codes were saved. */
export function handleAuthenticatorApp (onAdded) {
  byId('totp-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close())
  dialog.addEventListener('close', () => { byId('totp-secret', HTMLElement).textContent = '' })

  handleForm(form, async ({ code }) => {
    const response = await changeConfirmed('POST', '/api/auth/factors/totp/confirm', { code })
    if (!response) return
    dialog.close()
    await showRecoveryCodes((await response.json()).recoveryCodes)
    await onAdded()
  }, { 403: ['code', texts.code.wrong] })
}
