import type { PageFiles } from '../site/files.ts'
import { loadTexts } from '../site/texts.ts'

export type MailTexts = typeof import('../../pages/mails/texts/en.js').default

export const loadMailTexts = (files: PageFiles) => loadTexts<MailTexts>(files, 'mails/texts')
