// npm run generate: writes docs/asvs.md.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asvsMarkdown } from './markdown.ts'

writeFileSync(join(import.meta.dirname, '../../docs/asvs.md'), asvsMarkdown())
