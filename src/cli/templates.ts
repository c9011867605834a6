import { existsSync } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { checkTemplates } from '../check-templates.ts'
import { findPageFiles, PACKAGE_FILE } from '../site/files.ts'
import {
  CommandError, EXIT, requireArguments, subcommands, type Arguments, type Command, type Outcome,
} from './command.ts'

const HELP = `Usage: gatehouse templates export DIR [--json]
       gatehouse templates check DIR [--json]

  export   writes the templates, texts and styles of pages and mails to a folder
  check    renders every page and every mail with the files of a folder, in each language,
           and prints what is wrong

With TEMPLATES_DIR, the service uses the files of that folder instead of its own files of the same
name. Delete the files that you do not change: then they keep up with new versions. See
docs/templates.md.

Examples
  gatehouse templates export ./templates
  gatehouse templates check ./templates
  TEMPLATES_DIR=./templates gatehouse serve
`

/** Scripts can be replaced too, but seldom should be. */
const EXPORTED = /\.(?:eta|css|svg)$|(?:^|\/)texts\//

async function exportFiles ({ positionals }: Arguments): Promise<Outcome> {
  const [folder] = requireArguments(positionals, 'DIR')
  const { files } = await findPageFiles()
  const exported = [...files].filter(([name]) => EXPORTED.test(name))
  const present = exported.find(([name]) => existsSync(join(folder, name)))
  if (present) throw new CommandError(`${join(folder, present[0])} already exists. Nothing was written.`)
  for (const [name, path] of exported) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await copyFile(path, join(folder, name))
  }
  await writeFile(join(folder, PACKAGE_FILE), '{ "type": "module" }\n')
  const advice = 'Change what you need, and delete the others: then they keep up with new versions.'
  const names = exported.map(([name]) => name)
  return { data: { folder, written: names }, text: `Wrote ${names.length} files to ${folder}. ${advice}` }
}

async function check ({ positionals }: Arguments): Promise<Outcome> {
  const [folder] = requireArguments(positionals, 'DIR')
  const problems = await checkTemplates(folder)
  if (problems.length > 0) return { data: { problems }, text: problems.join('\n'), exit: EXIT.problem }
  return { data: { problems }, text: 'No problems: every page and every mail was rendered in each language.' }
}

const command: Command = {
  help: HELP,
  run: subcommands({ export: exportFiles, check }),
}

export default command
