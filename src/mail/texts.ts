import type { PageFiles } from '../pages/files.ts'
import { loadTexts } from '../pages/texts.ts'

export type MailTexts = typeof import('../../pages/mails/texts/en.js').default

export const loadMailTexts = (files: PageFiles) => loadTexts<MailTexts>(files, 'mails/texts')
