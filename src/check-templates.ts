import { Value } from '@sinclair/typebox/value'
import { SAMPLE_MAILS } from './mail/values.ts'
import { createMailWriter, loadMailTexts } from './mail/templates.ts'
import { findPageFiles, type PageFiles } from './site/files.ts'
import { LANGUAGE_NAMES } from './site/language.ts'
import { ALL_PAGES, createPageRenderer } from './site/renderer.ts'
import { TemplateError } from './site/templates.ts'
import { loadTexts, readOwnTexts } from './site/texts.ts'
import { Settings, type Config } from './settings/schema.ts'

const STATUSES = [400, 404, 405, 429, 500, 503]
const OPENID_ERRORS = ['invalid_request', 'unavailable']
/** The policy in the pages refuses these. */
const INLINE_CODE = /<script(?![^>]*\ssrc=)[^>]*>|<style\b[^>]*>|\s(?:on\w+|style)="/i

const SENDER = { brand: 'Gatehouse', color: '#2f5bea', url: 'https://auth.example.com' }
const DEFAULTS: Config = {
  ...Value.Default(Settings, { PUBLIC_URL: SENDER.url }) as Config,
  openIdProviders: [],
  resources: [],
}
/** Pages show other parts with other settings. */
const VARIANTS: Config[] = [
  { ...DEFAULTS, PROVIDER_A_CLIENT_ID: 'x', PROVIDER_B_CLIENT_ID: 'x' },
  { ...DEFAULTS, REGISTRATION: 'closed', SECOND_FACTOR: 'off', REMEMBER_BROWSER_DAYS: 0 },
]

/** Every text with the type of its value. Lists may be longer or shorter. */
function shapeOf (texts: object, prefix = ''): Map<string, string> {
  return new Map(Object.entries(texts).flatMap(([name, value]): Array<[string, string]> => {
    const key = `${prefix}${name}`
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isGroup ? [...shapeOf(value, `${key}.`)] : [[key, typeof value]]
  }))
}

/** Texts that own templates use are in this group. Elsewhere, a new name is a mistake. */
const isOwn = (key: string) => key.startsWith('own.')

function textProblems (file: string, given: object, known: Map<string, string>): string[] {
  return [...shapeOf(given)].filter(([key]) => !isOwn(key)).flatMap(([key, type]) => {
    const expected = known.get(key)
    if (expected === undefined) return [`${file}: ${key} is unknown. Texts for your own templates belong into "own"`]
    return type === expected ? [] : [`${file}: ${key} is not a ${expected}`]
  })
}

/** A text of one's own must be there in each language. `given`: what the files of one folder have. */
function missingOwnTexts (given: Map<string, object>): string[] {
  const keys = new Map([...given].map(([file, texts]) => [file, [...shapeOf(texts).keys()].filter(isOwn)]))
  const all = new Set([...keys.values()].flat())
  return [...keys].flatMap(([file, present]) => [...all].filter(key => !present.includes(key))
    .map(key => `${file}: ${key} is missing: a text of your own must be there in each language`))
}

const idsIn = (html: string) => [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id as string)

function pageProblems (name: string, html: string, ours: string): string[] {
  const ids = new Set(idsIn(html))
  const [inline] = html.match(INLINE_CODE) ?? []
  return [
    ...idsIn(ours).filter(id => !ids.has(id)).map(id => `${name}: no element has id="${id}", which the scripts use`),
    ...inline ? [`${name}: browsers refuse inline code, as in ${inline.trim()}`] : [],
  ]
}

/** The problems of the files that replace ours, one line each: everything is rendered, in each language. */
export async function checkTemplates (folder: string): Promise<string[]> {
  const problems = new Set<string>()
  /** `file`: what to blame, if the error does not say it. */
  const attempt = async (action: () => unknown, file?: string) => {
    try {
      await action()
    } catch (error) {
      const { message } = error as Error
      problems.add(file === undefined || error instanceof TemplateError ? message : `${file}: ${message}`)
    }
  }

  async function checkTexts (files: PageFiles, own: PageFiles) {
    for (const [folder, load] of [['texts', loadTexts], ['mails/texts', loadMailTexts]] as const) {
      // Some languages have texts that English does not need.
      const known = new Map([...(await load(own)).values()].flatMap(texts => [...shapeOf(texts)]))
      const given = new Map<string, object>()
      for (const language of LANGUAGE_NAMES) {
        const file = `${folder}/${language}.js`
        given.set(file, await readOwnTexts(files, file) ?? {})
      }
      for (const [file, texts] of given) {
        for (const problem of textProblems(file, texts, known)) problems.add(problem)
      }
      for (const problem of missingOwnTexts(given)) problems.add(problem)
    }
  }

  async function checkPages (files: PageFiles, own: PageFiles) {
    for (const variant of VARIANTS) {
      const [theirs, ours] = [await createPageRenderer(variant, files), await createPageRenderer(variant, own)]
      for (const language of LANGUAGE_NAMES) {
        for (const name of ALL_PAGES) {
          await attempt(() => {
            const html = theirs.page(name, language)
            for (const each of pageProblems(`${name}.eta`, html, ours.page(name, language))) problems.add(each)
          })
        }
        for (const status of STATUSES) await attempt(() => theirs.error({ status, retryAfter: 60 }, language))
        for (const application of [undefined, 'Wiki']) {
          await attempt(() => theirs.openid.logout(language, { action: '/', xsrf: '', application }))
          await attempt(() => theirs.openid.signedOut(language, { application }))
        }
        for (const code of OPENID_ERRORS) await attempt(() => theirs.openid.error(language, { code }))
      }
    }
  }

  async function checkMails (files: PageFiles) {
    const write = await createMailWriter(SENDER, files)
    for (const language of LANGUAGE_NAMES) {
      for (const [name, values] of SAMPLE_MAILS) {
        await attempt(() => write(name, values as never, language), `mails/texts/${language}.js`)
      }
    }
  }

  await attempt(async () => {
    const { files, unknown } = await findPageFiles(folder)
    const { files: own } = await findPageFiles()
    for (const name of unknown) problems.add(`${name}: Gatehouse has no file of this name`)
    await checkTexts(files, own)
    if (problems.size > 0) return
    await checkPages(files, own)
    await checkMails(files)
  })
  return [...problems]
}
