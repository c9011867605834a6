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

<!-- Written by \`npm run asvs\` from test/asvs/: change it there. -->

What each requirement of the [Application Security Verification Standard](https://github.com/OWASP/ASVS) asks for, in our own words and short: the text of the standard decides. A requirement is *shown* by tests that fail when it no longer holds, met by *deployment* where it is up to whoever runs the service, *not applicable* where there is nothing that it speaks of, or *not met*, with the reason. The build fails when a test that is named here is gone.
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
    return `| Level ${level} | ${STATUSES.map(status => statuses.filter(each => each === status).length).join(' | ')} | ${statuses.length} |`
  })
  return `| | ${STATUSES.join(' | ')} | all |\n|---|${'---|'.repeat(STATUSES.length + 1)}\n${rows.join('\n')}\n`
}

/** Requirements that are not met come first, so that they are easy to find. */
function shortcomings (): string {
  const rows = REQUIRED.filter(({ id }) => MAP[id]?.status === 'not met').map(
    ({ id, level }) => `| ${id} | ${level} | ${cell(MAP[id]?.what ?? '')} | ${cell(MAP[id]?.why ?? '')} |`
  )
  return `## Not met\n\n| Id | Level | Asks for | Why not |\n|---|---|---|---|\n${rows.join('\n')}\n`
}

function chapter (title: string, index: number): string {
  const rows = REQUIRED.filter(({ id }) => id.startsWith(`${index + 1}.`)).map(({ id, level }) => {
    const entry = MAP[id] as Entry
    return `| ${id} | ${level} | ${cell(entry.what)} | ${entry.status} | ${proofOf(entry)} |`
  })
  return `## V${index + 1} ${title}\n\n| Id | Level | Asks for | Status | Shown by, or why |\n|---|---|---|---|---|\n${rows.join('\n')}\n`
}

export function asvsMarkdown (): string {
  return [INTRODUCTION, summary(), shortcomings(), ...CHAPTERS.map(chapter)].join('\n')
}
