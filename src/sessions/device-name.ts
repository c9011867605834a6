import Bowser from 'bowser'

/** A readable name for a user agent, such as "Firefox on Linux". */
export function deviceName (userAgent: string | null | undefined): string {
  if (!userAgent) return 'Unknown device'
  const { browser, os } = Bowser.parse(userAgent)
  if (!browser.name) return 'Unknown device'
  return os.name ? `${browser.name} on ${os.name}` : browser.name
}

/** A session belongs to a browser, or to an application that has offline access. */
interface OwnedSession { userAgent: string | null, application: { name: string } | null }

export const sessionName = ({ application, userAgent }: OwnedSession): string =>
  application?.name ?? deviceName(userAgent)
