import { pathToFileURL } from 'node:url'
import { mergeTexts } from '../../pages/parts/merge-texts.js'
import { isOurs, oursOf, type PageFiles } from './files.ts'
import { LANGUAGE_NAMES, type Language } from './language.ts'
import { TemplateError } from './templates.ts'

export type Texts = typeof import('../../pages/texts/en.js').default

/** What a file of texts in TEMPLATES_DIR contains: only what differs from ours. Undefined if there is none. */
export async function readOwnTexts (files: PageFiles, name: string): Promise<object | undefined> {
  const path = files.get(name) as string
  if (isOurs(path)) return undefined
  try {
    const { default: texts } = await import(pathToFileURL(path).href)
    if (typeof texts !== 'object' || texts === null) throw new Error('it has no default export')
    return texts
  } catch (error) {
    throw new TemplateError(name, error)
  }
}

/** The texts in each language, from `texts/en.js` and so on: ours, with those of TEMPLATES_DIR in their place. */
export async function loadTexts<T = Texts> (files: PageFiles, folder = 'texts'): Promise<Map<Language, T>> {
  return new Map(await Promise.all(LANGUAGE_NAMES.map(async language => {
    const name = `${folder}/${language}.js`
    const { default: ours } = await import(pathToFileURL(oursOf(name)).href)
    const own = await readOwnTexts(files, name)
    return [language, (own ? mergeTexts(ours, own) : ours) as T] as const
  })))
}
