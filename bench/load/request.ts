import { deviceProof } from '../data/device-proof.ts'
import type { Cookies, Job } from './job.ts'

export const turn = <T>(list: T[] | undefined, index: number): T | undefined => list?.[index % list.length]

/** The next request. Composed in advance where possible, to save processor time. */
export function createRequests (job: Job): (index: number, jar: Cookies) => string {
  if (job.keep) return (index, jar) => compose(job, index, { ...jar, ...proofFor(job, jar) })
  const different = Math.max(1, job.bodies?.length ?? 0, job.cookies?.length ?? 0)
  const all = Array.from({ length: different }, (_, n) => compose(job, n, turn(job.cookies, n) ?? {}))
  let next = 0
  return () => all[next++ % different] as string
}

function proofFor ({ prove }: Job, { refresh_token: token = '' }: Cookies): Cookies {
  return prove ? { device_proof: deviceProof(token, prove) } : {}
}

function compose ({ method, path, port, headers, bodies }: Job, index: number, cookies: Cookies): string {
  const body = bodies ? JSON.stringify(turn(bodies, index)) : ''
  const cookie = Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')
  const lines = {
    host: `127.0.0.1:${port}`,
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    ...headers,
    ...(cookie && { cookie }),
    ...(body && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
  }
  return `${method} ${path} HTTP/1.1\r\n${Object.entries(lines)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`
}

export function takeCookies (jar: Cookies, head: string, names: string[]) {
  for (const name of names) {
    const value = new RegExp(`\r\nset-cookie: ${name}=([^;]+)`, 'i').exec(head)?.[1]
    if (value) jar[name] = value
  }
}
