import { OPENID_SCOPES, type Resource } from './openid-resources.ts'
import type { Config } from './schema.ts'
import { isHttp, isHttps } from './urls.ts'

type Rule = [broken: boolean, line: string]

const NAME = /^[a-z](-?[a-z0-9]){0,29}$/
const SCOPE = /^[\w.:/-]{1,100}$/
const MAX_DESCRIPTION = 200
/** As in the name of an application: users read it. */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

const isText = (text: string) => text.length <= MAX_DESCRIPTION && !CONTROL_CHARACTERS.test(text)

/** The same for all spellings of an address. */
const addressOf = (text: string) => URL.parse(text)?.href ?? text

export function resourceRules (config: Config): Rule[] {
  const all = config.resources
  return all.flatMap((resource, index): Rule[] => {
    const { name } = resource
    if (!NAME.test(name)) {
      return [[
        true,
        `OPENID_RESOURCES contains "${name}": a name has at most 30 lower-case letters, digits and hyphens.`,
      ]]
    }
    const others = all.slice(0, index)
    if (others.some(other => other.name === name)) {
      return [[true, `OPENID_RESOURCES contains "${name}" twice: remove one of them.`]]
    }
    return [...uriRules(resource, others, config), ...textRules(resource)]
  })
}

function uriRules ({ name, prefix, uri }: Resource, others: Resource[], config: Config): Rule[] {
  if (!uri) return [[true, `${prefix}_URI is missing: set the URI of the API, or remove it from OPENID_RESOURCES.`]]
  const isComplete = (config.NODE_ENV === 'production' ? isHttps : isHttp)(uri)
  const address = addressOf(uri)
  const isSame = (other: string) => addressOf(other) === address
  return [
    [
      !isComplete || /[?#*@\s]/.test(uri) || ![uri, `${uri}/`].includes(address),
      `${prefix}_URI must be the https:// URL of the resource, such as https://api.example.com/orders, without a ` +
      'query and a fragment, as browsers write it.',
    ],
    [
      config.TOKEN_AUDIENCES.some(isSame),
      `${prefix}_URI is one of TOKEN_AUDIENCES: tokens of applications and of the service must not be mixed up. Name ` +
      `"${name}" otherwise, or remove it from one of the two.`,
    ],
    [isSame(config.PUBLIC_URL), `${prefix}_URI is PUBLIC_URL: name the API, not this service.`],
    [others.some(other => isSame(other.uri)), `${prefix}_URI is the URI of another resource: each has its own.`],
  ]
}

function textRules ({ prefix, description, scopes, tokens, open }: Resource): Rule[] {
  const names = scopes.map(({ name }) => name)
  const wrong = names.find(name => !SCOPE.test(name) || OPENID_SCOPES.includes(name))
  const twice = names.find((name, index) => names.indexOf(name) < index)
  return [
    [
      !description || !isText(description),
      `${prefix}_DESCRIPTION must say in up to ${MAX_DESCRIPTION} characters what the API is: users read it when ` +
      'they are asked for their consent.',
    ],
    [
      names.length === 0,
      `${prefix}_SCOPES is missing: list them, such as "orders:read=See your orders; orders:write=Cancel orders".`,
    ],
    [
      wrong !== undefined,
      `${prefix}_SCOPES contains "${wrong}": a scope has letters, digits and . : / _ - and is none of ` +
      `${OPENID_SCOPES.join(', ')}.`,
    ],
    [twice !== undefined, `${prefix}_SCOPES contains "${twice}" twice: remove one of them.`],
    [!scopes.every(scope => isText(scope.description)), `${prefix}_SCOPES has a description that is too long.`],
    [!['jwt', 'opaque'].includes(tokens), `${prefix}_TOKENS is "${tokens}": choose one of jwt, opaque.`],
    [!['off', 'on'].includes(open), `${prefix}_OPEN is "${open}": choose one of off, on.`],
  ]
}
