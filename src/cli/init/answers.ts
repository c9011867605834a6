import { isHttps, isOrigin } from '../../settings/urls.ts'
import { CommandError } from '../command.ts'
import { requireQuotable } from './new-files.ts'

export function acceptPublicUrl (answer: string): string {
  const url = answer.trim()
  if (!isHttps(url) || !isOrigin(url)) {
    throw new CommandError('The public URL must be https:// and a host, such as https://auth.example.com.')
  }
  return new URL(url).origin
}

export function acceptHost (answer: string): string {
  const host = answer.trim()
  if (!/^([\w.-]+|\[[\da-f:]+\])(:\d{1,5})?$/i.test(host)) {
    throw new CommandError('This is not a host, such as db.example.com or db.example.com:5433.')
  }
  return host
}

export function acceptSmtpUrl (answer: string): string {
  const url = answer.trim()
  if (url && !(/^smtps?:\/\/./.test(url) && URL.canParse(url))) {
    throw new CommandError('SMTP_URL must be a URL that begins with smtp:// or smtps://.')
  }
  return requireQuotable('SMTP_URL', url)
}
