import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Test } from 'tap'
import { listen } from './resources.ts'
import { REDIRECT } from './self-registered.ts'

type Send = (request: IncomingMessage, response: ServerResponse, url: string) => unknown

/** A host with metadata documents, which counts how often it is asked. */
export async function startDocuments (t: Test, documents: Record<string, object | Send>) {
  const asked: string[] = []
  const origin = await listen(t, (request, response) => {
    const path = request.url ?? '/'
    asked.push(path)
    const found = documents[path]
    if (typeof found === 'function') return found(request, response, origin + path)
    if (!found) return response.writeHead(404).end()
    return response.writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ client_id: origin + path, client_name: 'Agent', redirect_uris: [REDIRECT], ...found }))
  })
  return { origin, asked }
}
