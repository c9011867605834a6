/** The path of a URL without its query, which may hold codes, state values and tokens. */
export function pathOf (url: string): string {
  const end = url.search(/[?#;]/)
  return end === -1 ? url : url.slice(0, end)
}
