import { Type } from '@sinclair/typebox'
import { text } from '../kinds.ts'

/** The look of pages and mails. */
export const BRAND = {
  BRAND_NAME: text('Product name on the pages and in mails', { minLength: 1, maxLength: 60, default: 'Gatehouse' }),
  BRAND_COLOR: text(
    'Colour of the buttons and links on the pages, as `#rrggbb`; it is adjusted where text would be hard to read',
    { default: '#2f5bea' }
  ),
  BRAND_LOGO: Type.Optional(text(
    'Logo on the pages: a path on this host, or an `https:` URL whose server sends ' +
    '`Cross-Origin-Resource-Policy: cross-origin`'
  )),
  TEMPLATES_DIR: Type.Optional(text(
    'Folder whose files replace the templates, texts and styles of pages and mails that have the same name'
  )),
}
