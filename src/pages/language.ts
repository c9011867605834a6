/** The best of our languages for an Accept-Language header; the first of them where none is asked for. */
export function preferredLanguage (header: string | undefined, ours: readonly string[]): string {
  const wishes = (header ?? '').split(',').map(wish => {
    const [range = '', ...parameters] = wish.toLowerCase().split(';').map(part => part.trim())
    const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2)
    return { language: range.split('-')[0] as string, weight: weight === undefined ? 1 : Number(weight) || 0 }
  })
  const best = wishes
    .filter(({ language, weight }) => weight > 0 && ours.includes(language))
    .sort((a, b) => b.weight - a.weight)
  return best[0]?.language ?? ours[0] as string
}
