import { gatehouse } from './process.ts'

/** Makes a process print its loaded files and listening ports at SIGWINCH, which does not stop the service. */
const TELLING = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const files = []
  registerHooks({ load: (url, context, next) => { files.push(url); return next(url, context) } })
  process.on('SIGWINCH', () => {
    const listeners = process.getActiveResourcesInfo().filter(kind => kind === 'TCPServerWrap').length
    console.error('INSIDE ' + JSON.stringify({ listeners, files }) + ' END')
  })`)}`

export const openToQuestions = { NODE_OPTIONS: `--import=${TELLING}` }

/** For a service that was started with `openToQuestions`. */
export async function lookInside (
  service: ReturnType<typeof gatehouse>
): Promise<{ listeners: number, files: string[] }> {
  service.child.kill('SIGWINCH')
  const [, told = ''] = await service.until(/INSIDE (\{.*\}) END/)
  return JSON.parse(told)
}
