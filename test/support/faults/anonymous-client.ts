import { ask, type Answer } from './wire.ts'

export interface Sending {
  method?: string
  path: string
  body?: object
  headers?: Record<string, string>
  address?: string
  patience?: number
}

let addresses = 0
/** People roam: each request comes from an address of its own, so that only those who guess meet the limits of an address. */
export const freshAddress = () =>
  `10.${Math.floor(++addresses / 62_500)}.${Math.floor(addresses / 250) % 250}.${(addresses % 250) + 1}`

/** Keeps cookies as a browser does. */
export function createVisitor (cookies = new Map<string, string>()) {
  return {
    cookies,

    async send (
      port: number,
      { method = 'POST', path, body, headers, address = freshAddress(), patience = 30_000 }: Sending
    ): Promise<Answer | null> {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const answer = await ask({
        port,
        method,
        path,
        body,
        patience,
        headers: { ...headers, 'x-forwarded-for': address, ...(cookie && { cookie }) },
      })
      for (const line of answer?.headers['set-cookie'] ?? []) {
        const [, name = '', value = ''] = line.match(/^([^=]+)=([^;]*)/) ?? []
        if (value) cookies.set(name, value)
        else cookies.delete(name)
      }
      return answer
    },
  }
}

export type Visitor = ReturnType<typeof createVisitor>
