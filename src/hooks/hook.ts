import { randomUUID } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import { Webhook as Signature } from 'standardwebhooks'
import { checkData, type AccountData } from '../accounts/data.ts'
import { InvalidData } from '../accounts/errors.ts'
import { parseStrictly } from '../accounts/strict-json.ts'
import { createQueue } from '../passwords/bounded-queue.ts'
import { checkUrl, type AddressRules } from '../webhooks/address.ts'
import { post, type Answer } from '../webhooks/post.ts'

/** `data`: what the application wants to keep about the user from now on. */
type HookAnswer = { allow: true, data?: AccountData } | { allow: false, message?: string }

interface Options extends AddressRules {
  url: string
  secret: string
  /** In milliseconds, for everything together. */
  timeout?: number
}

const TIMEOUT = 2_000
/** Questions that one instance asks at once. More wait: a slow application cannot take more connections. */
const MAX_AT_ONCE = 50
const MAX_WAITING = 500
/** Connections that stay open for the next question, and for how long, in milliseconds. */
const KEPT = { keepAlive: true, maxFreeSockets: 10, timeout: 30_000 }
/** In characters. A longer message is cut. */
const MAX_MESSAGE = 300

/** Characters that reverse the text around them: names of users have none, either. */
const REORDERING = /[\u202a-\u202e\u2066-\u2069]/g

/** One line of plain text, or undefined. */
function messageOf (given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined
  const line = given.toWellFormed().replace(REORDERING, '').replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return Array.from(line).slice(0, MAX_MESSAGE).join('') || undefined
}

/** Data that cannot be stored makes the answer one that does not count: the application relies on it. */
function dataOf (given: unknown): { data?: AccountData } {
  if (given === undefined) return {}
  try {
    return { data: checkData(given) }
  } catch (error) {
    throw error instanceof InvalidData ? new Error(error.message) : error
  }
}

/** Throws unless it is an answer. The errors quote nothing of it: they are logged. */
function answerOf ({ status, body, isComplete }: Answer): HookAnswer {
  if (status !== 200) throw new Error(`The status is ${status}, not 200.`)
  let answer: { allow?: unknown, message?: unknown, data?: unknown } | null
  try {
    answer = parseStrictly(isComplete ? body : '') as typeof answer
  } catch {
    throw new Error('The body is not JSON, or larger than 16 KiB.')
  }
  if (answer?.allow === true) return { allow: true, ...dataOf(answer.data) }
  if (answer?.allow === false) return { allow: false, message: messageOf(answer.message) }
  throw new Error('The body has no "allow" that is true or false.')
}

/** Asks an application whether something may happen, with a signed request (Standard Webhooks). */
export function createHook ({ url: given, secret, timeout = TIMEOUT, ...rules }: Options) {
  const url = checkUrl(given, rules)
  const signature = new Signature(secret)
  const { Agent } = url.protocol === 'https:' ? https : http
  const agent = new Agent(KEPT)
  const queue = createQueue({ name: 'questions to the application', maxRunning: MAX_AT_ONCE, maxWaiting: MAX_WAITING })

  return {
    /** Throws if there is no answer in time. */
    async ask (type: string, data: object): Promise<HookAnswer> {
      const [id, now] = [`msg_${randomUUID()}`, new Date()]
      const body = JSON.stringify({ type, timestamp: now.toISOString(), data })
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Gatehouse',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': signature.sign(id, now, body),
      }
      const left = () => Math.max(1, timeout - (Date.now() - now.getTime()))
      return queue.run(
        async () => answerOf(await post(url, headers, body, { ...rules, timeout: left(), agent })),
        AbortSignal.timeout(timeout)
      )
    },

    close: () => agent.destroy(),
  }
}
