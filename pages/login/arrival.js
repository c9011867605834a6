import { texts } from '../parts/texts.js'

/** The only `error_description` that is recognised. Others are never shown: anyone can put text into a link. */
const NO_EMAIL = 'No email came from the provider'

/**
 * The message for the query parameters `error` and `reason` of the login page.
 * @param {URLSearchParams} query
 * @param {Map<string | undefined, string | undefined>} providers Display names, by the prefix of the error code.
 * @returns {[message: string, kind: 'failure' | 'plain'] | undefined}
 */
export function arrivalMessage (query, providers) {
  const { arrival } = texts
  const error = query.get('error')
  const reasons = new Map([
    ['ended', arrival.ended],
    ['signed-out', arrival.signedOut],
    ['deleted', arrival.deleted],
  ])
  const reason = reasons.get(query.get('reason') ?? '')
  if (error === null) return reason ? [reason, 'plain'] : undefined
  if (error === 'callback_failed') return [arrival.callbackFailed, 'failure']

  const [, key = ''] = error.match(/^([\w-]+)_auth_failed$/) ?? []
  const provider = providers.get(key)
  if (!provider) return [arrival.unknown, 'failure']
  const isNoEmail = query.get('error_description') === NO_EMAIL
  return [isNoEmail ? arrival.noEmail(provider) : arrival.providerFailed(provider), 'failure']
}
