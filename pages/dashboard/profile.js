import { byId } from '../parts/elements.js'
import { texts } from '../parts/texts.js'

/** @typedef {{ username: string, email: string, name: string | null }} Profile */

/** Who is signed in, and whether with a password. @param {Profile} user @param {boolean} hasPassword */
export function showProfile ({ username, email, name }, hasPassword) {
  byId('initial', HTMLElement).textContent = [...name ?? username][0] ?? ''
  byId('name', HTMLElement).textContent = name ?? username
  byId('about', HTMLElement).textContent = name ? `${username} · ${email}` : email
  byId('own-name', HTMLElement).textContent = name ?? texts.dashboard.noName
  byId('own-email', HTMLElement).textContent = email
  for (const input of document.querySelectorAll('input[autocomplete=username]')) {
    if (input instanceof HTMLInputElement) input.value = username
  }
  for (const part of document.querySelectorAll('[data-password]')) {
    part.toggleAttribute('hidden', part.getAttribute('data-password') !== String(hasPassword))
  }
  byId('current', HTMLInputElement).required = hasPassword
}
