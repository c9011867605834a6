import type { Entry, Status } from './entry.ts'
import { MAP } from './map.ts'
import { REQUIRED } from './requirements.ts'
import { findTest } from './titles.ts'

const CHAPTERS = [
  'Encoding and sanitization',
  'Validation and business logic',
  'Web front end',
  'API and web service',
  'Files',
  'Authentication',
  'Sessions',
  'Authorization',
  'Self-contained tokens',
  'OAuth and OpenID Connect',
  'Cryptography',
  'Communication',
  'Configuration',
  'Data protection',
  'Coding and architecture',
  'Logging and errors',
  'WebRTC',
]
const STATUSES: Status[] = ['shown', 'deployment', 'not applicable', 'not met']

const INTRODUCTION = `# OWASP ASVS 5.0, levels 1 and 2

<!-- Written by \`npm run generate\` from test/asvs/: change it there. -->

This page is for security reviewers. It has each requirement of the
[Application Security Verification Standard](https://github.com/OWASP/ASVS), summarized;
the text of the standard is authoritative. The status is one of:

- *shown*: the tests named here fail when the requirement is no longer met.
- *deployment*: those who deploy the service must meet it.
- *not applicable*: the service has nothing that the requirement is about.
- *not met*: with the reason.

A test checks that every test named here exists. Those in files named \`*.long.ts\` run by night (\`.ci/nightly\`),
all others before each change is merged (\`.ci/run\`), and both fail when a test fails or is skipped.
`

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

function link (reference: string): string {
  const { path, title } = findTest(reference)
  return `[${path}](../test/${path}): ${title.replace(/\$\{[^}]*\}/g, '…')}`
}

const proofOf = ({ why, tests }: Entry) => [...(why ? [why] : []), ...tests.map(link)].map(cell).join('<br>')

function summary (): string {
  const rows = [1, 2].map(level => {
    const statuses = REQUIRED.filter(requirement => requirement.level === level).map(({ id }) => MAP[id]?.status)
    const counts = STATUSES.map(status => statuses.filter(each => each === status).length)
    return `| Level ${level} | ${counts.join(' | ')} | ${statuses.length} |`
  })
  return `| | ${STATUSES.join(' | ')} | all |\n|---|${'---|'.repeat(STATUSES.length + 1)}\n${rows.join('\n')}\n`
}

/** Requirements that are not met come first, so that they are easy to find. */
function shortcomings (): string {
  const rows = REQUIRED.filter(({ id }) => MAP[id]?.status === 'not met').map(
    ({ id, level }) => `| ${id} | ${level} | ${cell(MAP[id]?.what ?? '')} | ${cell(MAP[id]?.why ?? '')} |`
  )
  return `## Not met\n\n| Id | Level | Requirement | Reason |\n|---|---|---|---|\n${rows.join('\n')}\n`
}

function chapter (title: string, index: number): string {
  const rows = REQUIRED.filter(({ id }) => id.startsWith(`${index + 1}.`)).map(({ id, level }) => {
    const entry = MAP[id] as Entry
    return `| ${id} | ${level} | ${cell(entry.what)} | ${entry.status} | ${proofOf(entry)} |`
  })
  const head = '| Id | Level | Requirement | Status | Tests, or reason |\n|---|---|---|---|---|'
  return `## V${index + 1} ${title}\n\n${head}\n${rows.join('\n')}\n`
}

export function asvsMarkdown (): string {
  return [INTRODUCTION, summary(), shortcomings(), ...CHAPTERS.map(chapter)].join('\n')
}
