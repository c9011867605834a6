import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** In one pass. A text that is not found is an error: the file has changed. */
export function replaceAll (dir: string, files: string[], replacements: Record<string, string>) {
  const missing = new Set(Object.keys(replacements))
  const pieces = new RegExp([...missing].map(piece => piece.replace(/\W/g, '\\$&')).join('|') || '$^', 'g')
  for (const file of files) {
    const text = readFileSync(join(dir, file), 'utf8').replace(pieces, piece => {
      missing.delete(piece)
      return replacements[piece] as string
    })
    writeFileSync(join(dir, file), text)
  }
  if (missing.size > 0) throw new Error(`${files.join(', ')} lack ${[...missing].join(', ')}`)
}
