import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { freePort } from '../../../demo/free-port.ts'
import { createUser, PASSWORD } from '../browser.ts'
import { makeCertificate } from '../certificate.ts'
import { newPerson, startChromium } from '../chromium.ts'
import { codeBlocks } from '../deploy/code-blocks.ts'
import { startFrontEnd } from '../deploy/front-end.ts'
import { productionSettings, startInstances } from '../deploy/instances.ts'
import { folderWith, makeFolder } from '../folder.ts'
import { PROGRAM } from '../process.ts'

/** The hosts that the recipes name. */
export const AUTH = 'https://auth.example.com'
export const APP = 'https://orders.example.com'

/** The code of a recipe in docs/openid.md, by its heading. */
export function recipe (heading: string): string[] {
  return codeBlocks('docs/openid.md').filter(block => block.heading === heading).map(({ code }) => code)
}

/** The settings that a recipe prints, as a shell reads them. */
export const settingsIn = (code: string): Record<string, string> =>
  Object.fromEntries([...code.matchAll(/^(\w+)='?(.*?)'?$/gm)].map(([, name = '', value = '']) => [name, value]))

/** Two instances with the OpenID provider behind nginx, and a user. Applications have another host, with TLS too. */
export async function startGatehouse (t: Test, more: Record<string, string> = {}) {
  const [httpsPort, folder] = [await freePort(), makeFolder(t, 'application')]
  makeCertificate(folder)
  const url = `https://localhost:${httpsPort}`
  const { owner, settings } = await productionSettings(t)
  const environment: Record<string, string> = {
    ...settings,
    OPENID: 'on',
    PUBLIC_URL: url,
    WEBHOOK_PRIVATE: 'allow',
    NODE_EXTRA_CA_CERTS: join(folder, 'certificate.pem'),
    ...more,
  }
  const { ports } = await startInstances(t, environment)
  const { certificateFile } = await startFrontEnd(t, { instances: ports, httpsPort })

  return {
    url,
    owner,
    certificateFile,
    /** Has the certificate of applications, and its key. */
    applicationFolder: folder,
    /** For programs that call both Gatehouse and applications: one file with both certificates. */
    allCertificates () {
      const all = [certificateFile, join(folder, 'certificate.pem')].map(file => readFileSync(file, 'utf8')).join('')
      return join(folderWith(t, { 'all.pem': all }), 'all.pem')
    },
    user: await createUser(owner, { username: 'ada', name: 'Ada Lovelace' }),

    /** An address for an application, which leads to a port that is named later. */
    async openHost (host = '127.0.0.1', given?: number) {
      let target = 0
      const [key, cert] = ['key', 'pem'].map(ending => readFileSync(join(folder, `certificate.${ending}`)))
      const server = createServer({ key, cert }, (incoming, answer) => {
        const headers = { ...incoming.headers, 'x-forwarded-proto': 'https', 'x-forwarded-host': incoming.headers.host }
        const { method, url: path } = incoming
        const onward = request({ host: '127.0.0.1', port: target, method, path, headers }, response => {
          response.pipe(answer.writeHead(response.statusCode ?? 502, response.headers))
        })
        onward.on('error', () => answer.destroy())
        incoming.pipe(onward)
      })
      const port = given ?? await freePort()
      await once(server.listen(port, '127.0.0.1'), 'listening')
      t.teardown(() => {
        server.close()
        server.closeAllConnections()
      })
      return { address: `https://${host}:${port}`, leadTo: (to: number) => { target = to } }
    },

    /** Runs a command line of a recipe, for an application at another address. Returns what it prints. */
    async addApplication (command: string, address: string) {
      const script = `gatehouse () { "$NODE" "$PROGRAM" "$@"; }\n${command.replaceAll(APP, address)}`
      const env = { ...environment, PATH: process.env.PATH, NODE: process.execPath, PROGRAM }
      const { stdout } = await promisify(execFile)('sh', ['-euc', script], { env })
      const find = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(stdout)?.[1] ?? ''
      return { CLIENT_ID: find('client_id'), CLIENT_SECRET: find('secret') }
    },

    /** A new browser. */
    async open (t: Test): Promise<Page> {
      const person = await newPerson(t, await startChromium(), { ignoreHTTPSErrors: true, extraHTTPHeaders: {} })
      return person.newPage()
    },

    async signIn (page: Page) {
      await page.fill('[name=username]', 'ada')
      await page.fill('[name=password]', PASSWORD)
      await page.click('button[type=submit]')
    },
  }
}

export type Gatehouse = Awaited<ReturnType<typeof startGatehouse>>
