import type { Misbehaviour } from '../../demo/misbehaviour.ts'
import type { Person } from '../../demo/people.ts'

interface Choice {
  /** Name and email to type in; without it, the first user offered by the page. */
  as?: Partial<Person>
  misbehaviour?: Misbehaviour
  cancel?: boolean
  /** Cookies of the provider, for a browser that was there before. */
  cookies?: Map<string, string>
}

/** Signs in at a provider as a browser does, and returns the callback URL without requesting it. */
export async function signInAtProvider (authorizeUrl: string, choice: Choice = {}): Promise<URL> {
  const { origin } = new URL(authorizeUrl)
  const visit = createVisitor(choice.cookies)
  let at = new URL(authorizeUrl)
  let answer = await visit(at)
  for (let step = 0; step < 10; step++) {
    const location = answer.headers.get('location')
    if (location) {
      at = new URL(location, at)
      if (at.origin !== origin) return at
      answer = await visit(at)
    } else {
      const html = await answer.text()
      if (answer.status !== 200) throw new Error(`${at.pathname} answered ${answer.status}: ${html}`)
      at = new URL(formAction(html), at)
      answer = await visit(at, fillIn(html, choice))
    }
  }
  throw new Error(`${origin} never came back`)
}

function createVisitor (cookies = new Map<string, string>()) {
  return async function visit (url: URL, form?: URLSearchParams): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, {
      method: form ? 'POST' : 'GET',
      body: form,
      redirect: 'manual',
      headers: cookie ? { cookie } : {},
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = line.match(/^([^=]+)=([^;]*)/) ?? []
      if (value) cookies.set(name, value)
      else cookies.delete(name)
    }
    return answer
  }
}

function formAction (html: string): string {
  const action = html.match(/<form method="post" action="([^"]+)"/)?.[1]
  if (!action) throw new Error(`no form on the page: ${html}`)
  return action.replaceAll('&amp;', '&')
}

/** The form that a browser would send, with the choices filled in. */
function fillIn (html: string, { as, misbehaviour, cancel = false }: Choice): URLSearchParams {
  const form = new URLSearchParams({
    person: html.match(/name="person" value="([^"]+)" checked/)?.[1] ?? '',
    misbehaviour: html.match(/<option value="([^"]+)" selected/)?.[1] ?? '',
    answer: cancel ? 'cancel' : 'continue',
  })
  if (as) {
    form.set('person', 'somebody-else')
    for (const [field, value] of Object.entries(as)) if (value != null) form.set(field, String(value))
  }
  if (misbehaviour) {
    if (!html.includes(`<option value="${misbehaviour}"`)) throw new Error(`the page does not offer ${misbehaviour}`)
    form.set('misbehaviour', misbehaviour)
  }
  return form
}
