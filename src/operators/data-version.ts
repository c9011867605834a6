import type { IncomingHttpHeaders } from 'node:http'
import { VersionRequired } from '../accounts/errors.ts'

/** The version of an account's data, as ETag has it. */
export const dataTag = (version: number): string => `"${version}"`

/** The version that If-Match names, or undefined for any. 428 without it. A schema has checked the form. */
export function requiredVersion ({ 'if-match': tag }: IncomingHttpHeaders): number | undefined {
  if (tag === undefined) throw new VersionRequired()
  return tag === '*' ? undefined : Number(tag.replaceAll('"', ''))
}
