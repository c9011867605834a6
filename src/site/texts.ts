import { pathToFileURL } from 'node:url'
import type { PageFiles } from './files.ts'
import { LANGUAGE_NAMES, type Language } from './language.ts'
import { TemplateError } from './templates.ts'

export type Texts = typeof import('../../pages/texts/en.js').default

/** The texts in each language, from `texts/en.js` and so on. */
export async function loadTexts<T = Texts> (files: PageFiles, folder = 'texts'): Promise<Map<Language, T>> {
  return new Map(await Promise.all(LANGUAGE_NAMES.map(async language => {
    const name = `${folder}/${language}.js`
    try {
      const { default: texts } = await import(pathToFileURL(files.get(name) as string).href)
      return [language, texts as T] as const
    } catch (error) {
      throw new TemplateError(name, error)
    }
  })))
}
