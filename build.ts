// npm run build: the service and its packages in dist/, or in the given folder. What a start loads is two files
// instead of 1,300, which took Node a third of the start.
import { cpSync, existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'rolldown'

const [FOLDER = 'dist'] = process.argv.slice(2)
/** Loaded by their paths: by Node, by @fastify/autoload and as a worker. */
const ENTRIES = globSync([
  'precompile.ts',
  'src/passwords/strength-worker.ts',
  '{plugins,routes,operator}/**/*.ts',
])
/** Each with all that it imports, in one file. What both import is in the first, which is all that `--help` loads. */
const CHUNKS = [
  { name: 'command', test: /\/src\/(config|cli\/commands)\.ts$/, priority: 2 },
  { name: 'service', test: /\/(plugins|routes)\/|\/src\/server\.ts$/, priority: 1 },
]
/** They read files beside their own. */
const WITH_FILES = ['bcrypt', 'pino', 'piscina', 'zxcvbn']
/** So does Swagger UI, but each start loads it and all that it needs: its code finds them where they are. */
const SWAGGER_UI = /\/(@fastify\/swagger-ui\/(?:index|lib\/routes)\.js)$/
const findSwaggerFiles: Plugin = {
  name: 'find-swagger-files',
  transform: {
    filter: { id: SWAGGER_UI },
    handler: (code, id) =>
      code.replaceAll('__dirname', `path.dirname(require.resolve('${SWAGGER_UI.exec(id)?.[1]}'))`),
  },
}
/** Of the demo, which is not in the image, or optional. */
const NOT_EVERYWHERE = ['@opentelemetry/.*', 'pino-pretty', 'postal-mime', 'smtp-server']

await build({
  input: {
    // Service managers start this path.
    'src/cli/gatehouse': 'bin/main.js',
    ...Object.fromEntries(ENTRIES.map(file => [file.replace(/\.[jt]s$/, ''), file])),
  },
  platform: 'node',
  plugins: [findSwaggerFiles],
  logLevel: 'warn',
  external: [...WITH_FILES, ...NOT_EVERYWHERE].map(name => new RegExp(`^${name}(/|$)`)),
  // Some files are loaded later by one part of the sources and at the start by another. `depd` of Koa has an `eval`.
  checks: { ineffectiveDynamicImport: false, eval: false },
  output: {
    dir: FOLDER,
    cleanDir: true,
    // As deep as the files of src/, so that paths like ../../pages stay right.
    chunkFileNames: 'src/chunks/[name].js',
    comments: false,
    // The names of errors are in the log.
    keepNames: true,
    // One other character would double the memory that V8 needs for the whole file.
    charset: 'ascii',
    codeSplitting: { groups: CHUNKS },
  },
})

for (const files of ['migrations', 'pages', 'native/lanes.node']) {
  if (existsSync(files)) cpSync(files, join(FOLDER, files), { recursive: true })
}
