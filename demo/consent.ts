import { escapeHtml } from '../src/site/html.ts'
import type { Misbehaviour, Misbehaviours } from './misbehaviour.ts'
import { page, type Theme } from './page.ts'
import { createPerson, PEOPLE, type Person } from './people.ts'

/** The client as registered with the provider. */
export interface Registration {
  clientId: string
  clientSecret: string
  redirectUri: string
  /** Preferred port of the provider. */
  port?: number
}

export interface Consent { person: Person, misbehaviour?: Misbehaviour }

interface ConsentOptions {
  theme: Theme
  clientId: string
  action: string
  misbehaviours: Misbehaviours
  /** Preselected on the page. */
  misbehave?: Misbehaviour
}

export function consentPage ({ theme, clientId, action, misbehaviours, misbehave }: ConsentOptions): string {
  return page(theme, `<h1>Choose an account</h1>
<p><b>${escapeHtml(clientId)}</b> asks for your name and your email address.
${escapeHtml(theme.title)} is invented for this demo: it runs on your own machine and needs no password.</p>
<form method="post" action="${escapeHtml(action)}">
<fieldset>
<legend>Account</legend>
${PEOPLE.map(({ id, name, email }, index) => choice(String(id), name ?? '', email ?? '', index === 0)).join('\n')}
${choice('somebody-else', 'Another account', 'Enter a name and an email address', false)}
<div class="else">
<input type="text" name="name" value="" placeholder="Name" aria-label="Name" autocomplete="off">
<input type="text" name="email" value="" placeholder="Email" aria-label="Email" inputmode="email" autocomplete="off">
</div>
</fieldset>
<label>
<span class="caption">Simulate an error</span>
<select name="misbehaviour">
<option value="">None</option>
${Object.entries(misbehaviours).map(([name, label]) => option(name, label, name === misbehave)).join('\n')}
</select>
</label>
<div class="answers">
<button class="main" name="answer" value="continue">Continue</button>
<button name="answer" value="cancel">Cancel</button>
</div>
</form>`)
}

function option (name: string, label: string, selected: boolean): string {
  return `<option value="${name}"${selected ? ' selected' : ''}>${escapeHtml(label)}</option>`
}

function choice (value: string, name: string, detail: string, checked: boolean): string {
  return `<label class="person"><input type="radio" name="person" value="${value}"${checked ? ' checked' : ''}>` +
    `<span>${escapeHtml(name)}<small>${escapeHtml(detail)}</small></span></label>`
}

/** Returns `undefined` if the user cancelled. */
export function readConsent (form: URLSearchParams, misbehaviours: Misbehaviours): Consent | undefined {
  const chosen = Object.keys(misbehaviours).find(name => name === form.get('misbehaviour'))
  const misbehaviour = chosen as Misbehaviour | undefined
  if (form.get('answer') !== 'continue' || misbehaviour === 'access-denied') return undefined
  const person = PEOPLE.find(({ id }) => String(id) === form.get('person')) ?? enteredPerson(form)
  return { person, misbehaviour }
}

/** `id` and `login` are not on the page: tests send them to change the email of the same person. */
function enteredPerson (form: URLSearchParams): Person {
  const value = (field: string) => form.get(field)?.trim() || undefined
  const id = value('id')
  return createPerson({
    name: value('name'),
    email: value('email'),
    login: value('login'),
    id: id ? Number(id) : undefined,
  })
}
