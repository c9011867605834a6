import { getDomain, getPublicSuffix } from 'tldts'
import { isIP } from 'node:net'
import type { Config } from './schema.ts'
import { isOrigin } from './urls.ts'

type Rule = [broken: boolean, line: string]

/** The list also has the suffixes of hosting companies, such as github.io, below which anyone can have a host. */
const LIST = { allowPrivateDomains: true }

/** A host name as browsers write it: lower case, without a port and without a dot at either end. */
const isHostName = (name: string) =>
  /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name) && URL.canParse(`http://${name}`) && !isAddress(name)

/** Browsers also read numbers such as `127.1` as an address. */
const isAddress = (name: string) => URL.canParse(`http://${name}`) && isIP(hostOf(`http://${name}`)) !== 0
const hostOf = (url: string) => new URL(url).hostname.replace(/^\[(.+)\]$/, '$1')
const isUnder = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`)

/** As browsers decide it for SameSite: the scheme counts, the port does not. */
function isSameSite (one: string, other: string): boolean {
  if (new URL(one).protocol !== new URL(other).protocol) return false
  const [site, otherSite] = [one, other].map(url => getDomain(url, LIST) ?? hostOf(url))
  return site === otherSite
}

export function hostRules (config: Config): Rule[] {
  if (!isOrigin(config.PUBLIC_URL)) return []
  return [...domainRules(config), ...config.APP_ORIGINS.flatMap(origin => appRules(origin, config))]
}

function domainRules ({ COOKIE_DOMAIN: domain, PUBLIC_URL }: Config): Rule[] {
  if (domain === '') return []
  if (isAddress(domain)) return [[true, 'COOKIE_DOMAIN is an IP address: browsers accept only a domain for cookies.']]
  if (!isHostName(domain)) return [[true, 'COOKIE_DOMAIN must be only a domain in lower case, such as example.com.']]
  if (getPublicSuffix(domain, LIST) === domain) {
    return [[
      true,
      `COOKIE_DOMAIN is the public suffix ${domain}, which browsers refuse: name your own domain under it.`,
    ]]
  }
  return [[
    !isUnder(hostOf(PUBLIC_URL), domain),
    `COOKIE_DOMAIN must be above the host of PUBLIC_URL: browsers refuse a cookie for ${domain} from ` +
    `${hostOf(PUBLIC_URL)}.`,
  ]]
}

function appRules (origin: string, { COOKIE_DOMAIN: domain, NODE_ENV, PUBLIC_URL }: Config): Rule[] {
  const isExact = isOrigin(origin) && new URL(origin).origin === origin && !origin.includes('*')
  if (!isExact) {
    return [[true, `APP_ORIGINS contains "${origin}": write a scheme and a host, such as https://app.example.com.`]]
  }
  if (NODE_ENV === 'production' && !origin.startsWith('https:')) {
    return [[true, `APP_ORIGINS contains ${origin}: it must begin with https://.`]]
  }
  return [
    [
      !isSameSite(origin, PUBLIC_URL),
      `APP_ORIGINS contains ${origin}, which is another site than PUBLIC_URL: browsers would never send the cookies.`,
    ],
    [
      domain !== '' && !isUnder(hostOf(origin), domain),
      `APP_ORIGINS contains ${origin}, which is not under COOKIE_DOMAIN: its host would not get the access token.`,
    ],
  ]
}
