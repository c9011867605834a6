import { readableOn, textOn } from '../settings/brand-color.ts'

/** The surfaces of style.css on which coloured text has the least contrast. */
const SURFACES = { light: '#f4f5f8', dark: '#191d25' }

/** The last rule of style.css: the brand's colours. */
export function brandStyle (color: string): string {
  const accents = (surface: string) =>
    `--accent:${readableOn(color, surface)};--brand-edge:${readableOn(color, surface, 3)}`
  const light = `:root{--brand:${color};--on-brand:${textOn(color)};${accents(SURFACES.light)}}`
  const dark = `@media (prefers-color-scheme:dark){:root{${accents(SURFACES.dark)}}}`
  return `${light}${dark}\n`
}
