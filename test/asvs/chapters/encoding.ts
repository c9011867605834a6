import { notApplicable, shown, type Chapter } from '../entry.ts'

export const ENCODING: Chapter = {
  '1.1.1': shown(
    'Input is decoded once, before it is checked',
    'attacks/files.test.ts#path traversal: only the',
    'attacks/open-redirects.test.ts#open redirects: no query',
    'pages/safe-next.test.ts#next: no value leads'
  ),
  '1.1.2': shown(
    'Output is encoded last, for its context',
    'src/site/templates.test.ts#values are inserted, escaped'
  ),
  '1.2.1': shown(
    'Encoding fits the context: HTML, headers, mails',
    'src/site/templates.test.ts#values are inserted, escaped',
    'src/mail/templates.test.ts#a hostile name: no',
    'pages/dashboard.test.ts#devices and events in words'
  ),
  '1.2.2': shown(
    'Data in URLs is encoded, only safe schemes are used',
    'routes/api/auth/verify.test.ts#GET /api/auth/verify: not signed',
    'pages/safe-next.test.ts#next: no value leads'
  ),
  '1.2.3': shown(
    'Data in JavaScript and JSON is encoded',
    'attacks/fuzz.test.ts#500 requests',
    'openapi.test.ts#GET /docs: only files of our own'
  ),
  '1.2.4': shown(
    'Database queries are parameterized',
    'attacks/sqlmap.long.ts#sqlmap: no injection in',
    'attacks/sqlmap.long.ts#sqlmap: finds the injection',
    'operator/attacks.test.ts#filters, cursors and ids',
    'operator/users-search.test.ts#cursors and filters that clients'
  ),
  '1.2.5': shown('No OS command injection', 'source.test.ts#source: starts no other'),
  '1.2.6': notApplicable('No LDAP injection', 'No LDAP.'),
  '1.2.7': notApplicable('No XPath injection', 'No XPath.'),
  '1.2.8': notApplicable('No LaTeX injection', 'No LaTeX.'),
  '1.2.9': notApplicable('Input in regular expressions is escaped', 'No regular expression is built from input.'),
  '1.3.1': notApplicable('HTML from users is sanitized', 'No HTML is accepted from users.'),
  '1.3.2': shown('No eval', 'source.test.ts#source: no eval or'),
  '1.3.3': shown(
    'Data for dangerous contexts is sanitized and shortened',
    'src/mail/templates.test.ts#a hostile name: no',
    'src/providers/providers.test.ts#a name is cleaned'
  ),
  '1.3.4': notApplicable('SVG from users is sanitized', 'No SVG is accepted from users.'),
  '1.3.5': notApplicable('Markdown, CSS and the like from users are sanitized', 'None is accepted from users.'),
  '1.3.6': shown(
    'No server-side request forgery (SSRF)',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every',
    'src/providers/client.test.ts#redirects of a provider',
    'src/webhooks/post.test.ts#a name is resolved once',
    'src/webhooks/post.test.ts#a name with a private address',
    'src/webhooks/post.test.ts#a redirect is not followed'
  ),
  '1.3.7': shown(
    'No template injection',
    'src/site/templates.test.ts#values are inserted, escaped',
    'attacks/fuzz.test.ts#500 requests'
  ),
  '1.3.8': notApplicable('No JNDI injection', 'No JNDI.'),
  '1.3.9': notApplicable('No memcache injection', 'No memcache.'),
  '1.3.10': notApplicable('No format strings from input', 'No format string is built from input.'),
  '1.3.11': shown(
    'No mail injection',
    'schemas/bad-input.test.ts#every route with a',
    'src/mail/templates.test.ts#a hostile name: no'
  ),
  '1.4.1': notApplicable('Memory-safe strings', 'JavaScript is memory-safe.'),
  '1.4.2': notApplicable('No integer overflow', 'No arithmetic on numbers from clients.'),
  '1.4.3': shown(
    'Memory and handles are released',
    'faults/soak.long.ts#s of mixed traffic',
    'attacks/slow-clients.long.ts#slow clients without a'
  ),
  '1.5.1': notApplicable('XML parsers are restricted', 'No XML.'),
  '1.5.2': shown(
    'Deserialization is safe',
    'schemas/bad-input.test.ts#every route with a',
    'src/error-handler.test.ts#every error: its status'
  ),
}
