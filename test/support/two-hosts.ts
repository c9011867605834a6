export const AUTH = 'https://auth.example.com'
export const APP = 'https://app.example.com'

/** In production: only there do the cookies have the prefix that keeps other hosts of the domain out. */
export const TWO_HOSTS = {
  NODE_ENV: 'production',
  PUBLIC_URL: AUTH,
  COOKIE_DOMAIN: 'example.com',
  APP_ORIGINS: APP,
  REDIS_URL: 'redis://127.0.0.1:1',
  SMTP_URL: 'smtp://127.0.0.1:1',
}

/** One host, which is the default, and two. */
export const LAYOUTS: Array<[layout: string, settings: Record<string, string>]> = [
  ['one host', { PUBLIC_URL: AUTH }],
  ['two hosts', TWO_HOSTS],
]
