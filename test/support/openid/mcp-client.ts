// An assistant on the machine of a user, with the client of the MCP SDK. It reads the names of tools from its input,
// and prints a line of JSON for each: what the tool returned, or why it failed. `{"open":…}` is for a browser.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryOAuthClientProvider } from '@modelcontextprotocol/sdk/examples/client/simpleOAuthClientProvider.js'

interface Settings { server: string, port: number, name?: string, clientId?: string, document?: string }

const { server, port, name, clientId, document }: Settings = JSON.parse(process.argv[2] ?? '')
const redirectUrl = `http://127.0.0.1:${port}/callback`

const say = (line: object) => console.log(JSON.stringify(line))

class Assistant extends InMemoryOAuthClientProvider {
  /** The SDK asks for it when the tokens are refused, or the client. */
  invalidateCredentials (what: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery') {
    this.saveTokens(undefined as never)
    if (what === 'all') this.saveClientInformation(undefined as never)
  }
}

const callback = createServer()
await once(callback.listen(port, '127.0.0.1'), 'listening')
let code = Promise.resolve('')

const provider = new Assistant(redirectUrl, {
  client_name: name,
  redirect_uris: [redirectUrl],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}, url => {
  code = receiveCode()
  say({ open: url.href })
}, document)
if (clientId) provider.saveClientInformation({ client_id: clientId })

/** The browser comes back with it. */
async function receiveCode (): Promise<string> {
  const [request, response] = await once(callback, 'request')
  response.end('You can close this page.')
  const { searchParams } = new URL(request.url, redirectUrl)
  return searchParams.get('code') ?? Promise.reject(new Error(String(searchParams.get('error'))))
}

async function callTool (tool: string): Promise<unknown> {
  const transport = new StreamableHTTPClientTransport(new URL(server), { authProvider: provider })
  const client = new Client({ name: 'assistant', version: '1.0.0' })
  try {
    await client.connect(transport)
    const { content } = await client.callTool({ name: tool })
    return content
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error
    await transport.finishAuth(await code)
    return callTool(tool)
  } finally {
    await client.close()
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'expire') {
    // As if five minutes had passed: the server refuses the token.
    provider.saveTokens({ ...provider.tokens(), access_token: 'expired', token_type: 'Bearer' })
    continue
  }
  await callTool(line).then(result => say({ result }), error => say({ error: error.message }))
}
callback.close()
