// The app in docs/integrating.md that reads X-Auth-Claims, as it is.
import t from 'tap'
import { codeBlocks, runServer } from '../../support/deploy/code-blocks.ts'

t.test('docs/integrating.md: the app lets in those with the role', async t => {
  const { code } = codeBlocks('docs/integrating.md')
    .find(({ heading, language }) => heading === 'Your own data in the token' && language === 'js') ?? {}
  const port = await runServer(t, code as string)
  const ask = async (claims?: object) => {
    const header = claims && Buffer.from(JSON.stringify(claims)).toString('base64url')
    const headers: Record<string, string> = header ? { 'x-auth-claims': header } : {}
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers })
    return [response.status, await response.text()]
  }
  t.strictSame(await ask({ roles: ['editor'], tenant: 'Größe' }), [200, 'Reports of Größe'])
  for (const claims of [undefined, {}, { roles: ['reader'] }]) t.equal((await ask(claims))[0], 403)
})
