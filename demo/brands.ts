import { readFileSync } from 'node:fs'
import { oursOf } from '../src/site/files.ts'
import type { Theme } from './page.ts'

/** Invented: no company has these names or marks. The login page finds the mark by the name. */
function brand (title: string, accent: string) {
  return { title, accent, mark: readFileSync(oursOf(`providers/${title.toLowerCase()}.svg`), 'utf8') } satisfies Theme
}

export const BRAND_A = brand('Nimbatross', '#2563eb')
export const BRAND_B = brand('Fernwhistle', '#15803d')
export const BRAND_C = brand('Mooncrumb', '#a21caf')
