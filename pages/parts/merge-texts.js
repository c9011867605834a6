// @ts-check
/**
 * All texts, with those of an own file in the place of ours. A group may have only the texts that differ.
 * @param {Record<string, any>} ours
 * @param {Record<string, any>} own
 * @returns {Record<string, any>}
 */
export function mergeTexts (ours, own) {
  const changed = Object.entries(own).map(([name, value]) => {
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value)
    return [name, isGroup ? mergeTexts(ours[name] ?? {}, value) : value]
  })
  return { ...ours, ...Object.fromEntries(changed) }
}
