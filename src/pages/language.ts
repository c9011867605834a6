import Negotiator from 'negotiator'

/** The best of the languages for an Accept-Language header. The first one is the default. */
export function preferredLanguage (header: string | undefined, languages: readonly string[]): string {
  const negotiator = new Negotiator({ headers: { 'accept-language': header ?? '' } })
  return negotiator.language(languages) ?? languages[0] as string
}
