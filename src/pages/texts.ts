import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { LANGUAGE_NAMES, type Language } from './language.ts'

export type Texts = typeof import('../../pages/texts/en.js').default

const FOLDER = join(import.meta.dirname, '../../pages')

/** The texts of the pages in each language. */
export async function loadTexts (): Promise<Map<Language, Texts>> {
  return new Map(await Promise.all(LANGUAGE_NAMES.map(async language => {
    const { default: texts } = await import(pathToFileURL(join(FOLDER, 'texts', `${language}.js`)).href)
    return [language, texts] as const
  })))
}
