const WITH_LINK: string[] = ['verify', 'reset', 'change-email', 'email-changed']

/**
 * A retry keeps the Message-ID, so that mail clients recognize a duplicate. A mail with a link gets a new one:
 * each attempt issues a new link, which replaces the one before.
 */
export function messageId (name: string, job: string, attempt: number, url: string): string {
  return `<${job}${WITH_LINK.includes(name) ? `.${attempt}` : ''}@${new URL(url).hostname}>`
}
