/** All values that a browser sends for one name, in its order: longer paths first. Tokens need no decoding. */
export function valuesOfCookie (header: string | undefined, name: string): string[] {
  const pairs = (header ?? '').split(';').map(pair => pair.trim())
  return pairs.filter(pair => pair.startsWith(`${name}=`)).map(pair => pair.slice(name.length + 1))
}
