import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { LANGUAGE_NAMES, type Language } from '../pages/language.ts'

export type MailTexts = typeof import('../../pages/mails/texts/en.js').default

const FOLDER = join(import.meta.dirname, '../../pages/mails/texts')

/** The texts of the mails in each language. */
export async function loadMailTexts (): Promise<Map<Language, MailTexts>> {
  return new Map(await Promise.all(LANGUAGE_NAMES.map(async language => {
    const { default: texts } = await import(pathToFileURL(join(FOLDER, `${language}.js`)).href)
    return [language, texts] as const
  })))
}
