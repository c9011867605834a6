import { escapeHtml } from '../src/pages/html.ts'
import type { Misbehaviour, Misbehaviours } from './misbehaviour.ts'
import { page, type Look } from './page.ts'
import { createPerson, PEOPLE, type Person } from './people.ts'

/** The application as it is registered with a provider. */
export interface Registration {
  clientId: string
  clientSecret: string
  redirectUri: string
  /** Taken when it is free. */
  port?: number
}

export interface Consent { person: Person, misbehaviour?: Misbehaviour }

interface Question {
  look: Look
  clientId: string
  action: string
  misbehaviours: Misbehaviours
  /** Chosen beforehand. */
  misbehave?: Misbehaviour
}

export function consentPage ({ look, clientId, action, misbehaviours, misbehave }: Question): string {
  return page(look, `<h1>Sign in with ${escapeHtml(look.title)}</h1>
<p><b>${escapeHtml(clientId)}</b> asks for your name and your email. This provider runs on your own machine, for trying out: no password.</p>
<form method="post" action="${escapeHtml(action)}">
<fieldset>
<legend>Who are you?</legend>
${PEOPLE.map(({ id, name, email }, index) => choice(String(id), name ?? '', email ?? '', index === 0)).join('\n')}
${choice('somebody-else', 'Somebody else', 'With a name and an email of your own', false)}
<div class="else">
<input type="text" name="name" value="" placeholder="Name" aria-label="Name" autocomplete="off">
<input type="text" name="email" value="" placeholder="Email" aria-label="Email" inputmode="email" autocomplete="off">
</div>
</fieldset>
<label>
<span class="caption">What should go wrong?</span>
<select name="misbehaviour">
<option value="">Nothing</option>
${Object.entries(misbehaviours).map(([name, words]) => `<option value="${name}"${name === misbehave ? ' selected' : ''}>${escapeHtml(words)}</option>`).join('\n')}
</select>
</label>
<div class="answers">
<button class="main" name="answer" value="continue">Continue</button>
<button name="answer" value="cancel">Cancel</button>
</div>
</form>`)
}

function choice (value: string, name: string, about: string, checked: boolean): string {
  return `<label class="person"><input type="radio" name="person" value="${value}"${checked ? ' checked' : ''}><span>${escapeHtml(name)}<small>${escapeHtml(about)}</small></span></label>`
}

/** Nothing when the person cancelled. */
export function readConsent (form: URLSearchParams, misbehaviours: Misbehaviours): Consent | undefined {
  const misbehaviour = Object.keys(misbehaviours).find(name => name === form.get('misbehaviour')) as Misbehaviour | undefined
  if (form.get('answer') !== 'continue' || misbehaviour === 'access-denied') return undefined
  const person = PEOPLE.find(({ id }) => String(id) === form.get('person')) ?? somebodyElse(form)
  return { person, misbehaviour }
}

/** `id` and `login` are not on the page: tests change the email of one and the same person. */
function somebodyElse (form: URLSearchParams): Person {
  const typed = (field: string) => form.get(field)?.trim() || undefined
  const id = typed('id')
  return createPerson({ name: typed('name'), email: typed('email'), login: typed('login'), id: id ? Number(id) : undefined })
}
