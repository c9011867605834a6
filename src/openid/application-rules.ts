import { HttpError } from '../errors.ts'
import { checkUrl, RefusedAddress, type AddressRules } from '../webhooks/address.ts'
import { checkUris, type ApplicationKind } from './redirect-uris.ts'

/** What an operator sets of an application. */
export interface ApplicationSettings {
  name: string
  redirectUris: string[]
  postLogoutUris: string[]
  backchannelLogoutUrl: string | null
  /** Needs no consent of the user. */
  trusted: boolean
  /** It may sign users in on another device: RFC 8628. */
  device: boolean
  /** A confidential client that cannot send PKCE. */
  pkceOptional: boolean
}

export class RefusedApplication extends HttpError {
  constructor (reason: string) {
    super(400, reason)
  }
}

/** Users read it on the page that asks for their consent. */
function checkName (text: string): string {
  const name = text.trim()
  if (!name || name.length > 100 || /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) {
    throw new RefusedApplication('The name must have 1 to 100 characters, without control characters.')
  }
  return name
}

function checkLogoutUrl (url: string, rules: AddressRules): string {
  try {
    return checkUrl(url, rules).href
  } catch (error) {
    throw error instanceof RefusedAddress ? new RefusedAddress(`Back-channel logout: ${error.message}`) : error
  }
}

/** What an application of this kind may not have. */
function checkKind (kind: ApplicationKind, settings: Partial<ApplicationSettings>) {
  const { redirectUris, postLogoutUris, backchannelLogoutUrl, trusted, pkceOptional, device } = settings
  if (kind === 'machine') {
    if (redirectUris?.length || postLogoutUris?.length || backchannelLogoutUrl || trusted || device) {
      throw new RefusedApplication(
        'A machine signs no user in: it has no redirect, post-logout and back-channel logout URLs, and is not trusted.')
    }
  } else if (redirectUris?.length === 0 && !device) {
    throw new RefusedApplication('The application needs at least one redirect URI, unless it is for other devices.')
  }
  if (pkceOptional && kind !== 'web') throw new RefusedApplication('Only a web application can go without PKCE.')
}

/** The settings as they are stored; those that are undefined stay so. Throws an error that says what is wrong. */
export function checkSettings<Settings extends Partial<ApplicationSettings>> (
  kind: ApplicationKind,
  settings: Settings,
  rules: AddressRules
): Settings {
  checkKind(kind, settings)
  const { name, redirectUris, postLogoutUris, backchannelLogoutUrl } = settings
  const uriRules = { kind, production: rules.production }
  return {
    ...settings,
    ...(name !== undefined && { name: checkName(name) }),
    ...(redirectUris && { redirectUris: checkUris(redirectUris, uriRules) }),
    ...(postLogoutUris && { postLogoutUris: checkUris(postLogoutUris, uriRules) }),
    ...(backchannelLogoutUrl && { backchannelLogoutUrl: checkLogoutUrl(backchannelLogoutUrl, rules) }),
  }
}
