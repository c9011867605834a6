import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { isInstalled } from '../../../demo/programs.ts'
import { makeFolder } from '../folder.ts'

const ROOT = join(import.meta.dirname, '../../..')
const GO_PACKAGE = '/usr/share/gocode/src/github.com/golang-jwt/jwt'
const run = promisify(execFile)

/** The code of this language in docs/integrating.md that reads a token, or the only code. */
export function codeOf (language: 'js' | 'python' | 'go' | 'nginx'): string {
  const page = readFileSync(join(ROOT, 'docs/integrating.md'), 'utf8')
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, 'gm'))].map(([, code = '']) => code)
  const code = blocks.find(code => /read_?token/i.test(code)) ?? blocks.at(-1)
  if (!code) throw new Error(`docs/integrating.md has no code in ${language}`)
  return code
}

const at = (code: string, gatehouse: string) => code.replace('https://auth.example.com', gatehouse)

interface Verifier {
  language: string
  /** The Debian packages that are not installed. */
  missing: string[]
  /** Returns the `sub` of each token that the code accepts, and null for the others. */
  read (t: Test, tokens: string[], gatehouse: string): Promise<Array<string | null>>
}

const without = (packages: string[]) => packages.filter(name => !isInstalled(name))

const node: Verifier = {
  language: 'Node',
  missing: [],
  async read (_, tokens, gatehouse) {
    const main = `
      const subjects = []
      for (const token of JSON.parse(process.argv[1])) {
        subjects.push(await readToken(token).then(({ sub }) => sub, () => null))
      }
      console.log(JSON.stringify(subjects))`
    const code = at(codeOf('js'), gatehouse) + main
    const args = ['--input-type=module', '--eval', code, JSON.stringify(tokens)]
    return JSON.parse((await run(process.execPath, args, { cwd: ROOT })).stdout)
  },
}

const python: Verifier = {
  language: 'Python',
  missing: without(['python3', 'python3-jwt', 'python3-cryptography']),
  async read (_, tokens, gatehouse) {
    const main = `
import json, sys

def subject_of(token):
    try:
        return read_token(token)["sub"]
    except jwt.PyJWTError:
        return None

print(json.dumps([subject_of(token) for token in json.loads(sys.argv[1])]))`
    // Debian's own, which has Debian's packages.
    return JSON.parse((await run('/usr/bin/python3', [
      '-c', at(codeOf('python'), gatehouse) + main, JSON.stringify(tokens),
    ])).stdout)
  },
}

const go: Verifier = {
  language: 'Go',
  missing: without(['golang-go', 'golang-github-golang-jwt-jwt-dev']),
  async read (t, tokens, gatehouse) {
    const dir = makeFolder(t, 'go')
    const files = {
      'go.mod': `module verifier\ngo 1.19\nrequire github.com/golang-jwt/jwt/v4 v4.4.3\n
replace github.com/golang-jwt/jwt/v4 => ${GO_PACKAGE}\n`,
      'gatehouse/gatehouse.go': at(codeOf('go'), gatehouse),
      'main.go': `package main
import ("encoding/json"; "os"; "verifier/gatehouse")
func main() {
  var tokens []string
  if err := json.Unmarshal([]byte(os.Args[1]), &tokens); err != nil { panic(err) }
  subjects := make([]*string, len(tokens))
  for index, token := range tokens {
    if claims, err := gatehouse.ReadToken(token); err == nil { subjects[index] = &claims.Subject }
  }
  if err := json.NewEncoder(os.Stdout).Encode(subjects); err != nil { panic(err) }
}`,
    }
    mkdirSync(join(dir, 'gatehouse'))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
    const env = { PATH: process.env.PATH, GOPATH: join(dir, 'path'), GOCACHE: join(dir, 'cache'), GOPROXY: 'off' }
    await run('/usr/bin/go', ['build', '-o', 'verifier', '.'], { cwd: dir, env })
    return JSON.parse((await run(join(dir, 'verifier'), [JSON.stringify(tokens)])).stdout)
  },
}

export const VERIFIERS = [node, python, go]
