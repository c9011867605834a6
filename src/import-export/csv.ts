const FIELD = /,(?:"((?:[^"]|"")*)"|([^",]*))(?=,|$)/gsy

/** The fields of a record of CSV (RFC 4180), or nothing if its quotes are wrong. */
export function parseCsv (text: string): string[] | undefined {
  const fields: string[] = []
  let end = 0
  for (const match of `,${text}`.matchAll(FIELD)) {
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    end = match.index + match[0].length
  }
  return end === text.length + 1 ? fields : undefined
}
