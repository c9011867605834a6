// @ts-check
import { texts } from './texts.js'

/** The one description that is ours. Others are not shown: whoever makes a link can put words into it. */
const NO_EMAIL = 'No email came from the provider'

/**
 * Why somebody is on the login page, in words.
 * @param {URLSearchParams} query
 * @param {Record<string, string>} providers Their names.
 * @returns {[sentence: string, kind: 'failure' | 'plain'] | undefined}
 */
export function arrivalSentence (query, providers) {
  const { arrival } = texts
  const error = query.get('error')
  const reasons = new Map([['ended', arrival.ended], ['signed-out', arrival.signedOut], ['deleted', arrival.deleted]])
  const reason = reasons.get(query.get('reason') ?? '')
  if (error === null) return reason ? [reason, 'plain'] : undefined
  if (error === 'callback_failed') return [arrival.callbackFailed, 'failure']

  const [, key = ''] = error.match(/^(provider_[ab])_auth_failed$/) ?? []
  const provider = providers[key]
  if (!provider) return [arrival.unknown, 'failure']
  return [query.get('error_description') === NO_EMAIL ? arrival.noEmail(provider) : arrival.providerFailed(provider), 'failure']
}
