import { readFileSync } from 'node:fs'

/** The commands of a section of docs/operating.md that begin with these words, without the comments. */
export function documented (section: string, ...beginnings: string[]): string[] {
  const [, after] = readFileSync('docs/operating.md', 'utf8').split(new RegExp(`^#+ ${section}$`, 'm'))
  const [text] = after?.split(/^## /m) ?? []
  const lines = (text ?? '').split('\n').map(line => line.replace(/\s+#.*/, ''))
  return beginnings.map(beginning => {
    const found = lines.find(line => line.startsWith(beginning))
    if (!found) throw new Error(`docs/operating.md has no line that begins with ${beginning}`)
    return found
  })
}
