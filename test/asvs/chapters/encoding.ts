import { notApplicable, shown, type Chapter } from '../entry.ts'

export const ENCODING: Chapter = {
  '1.1.1': shown(
    'Input is decoded once, before it is checked',
    'attacks/files.test.ts#path traversal: only the',
    'attacks/open-redirects.test.ts#open redirects: no query',
    'pages/safe-next.test.ts#next: no value leads'
  ),
  '1.1.2': shown(
    'Output is encoded last, for where it goes',
    'src/pages/templates.test.ts#values are inserted, escaped'
  ),
  '1.2.1': shown(
    'Encoding fits HTML, headers and the rest',
    'src/pages/templates.test.ts#values are inserted, escaped',
    'src/mail/templates.test.ts#a hostile name: no',
    'pages/dashboard.test.ts#devices and events in words'
  ),
  '1.2.2': shown(
    'Data in URLs is encoded, and only safe schemes are used',
    'routes/api/auth/verify.test.ts#GET /api/auth/verify: not signed',
    'pages/safe-next.test.ts#next: no value leads'
  ),
  '1.2.3': shown(
    'Data in JavaScript and JSON is encoded',
    'attacks/fuzz.test.ts#500 requests',
    'openapi.test.ts#GET /docs: only files of our own'
  ),
  '1.2.4': shown(
    'Queries have parameters',
    'attacks/sqlmap.long.ts#sqlmap: no injection in',
    'attacks/sqlmap.long.ts#sqlmap: finds the injection'
  ),
  '1.2.5': shown('No command of the system is injected', 'source.test.ts#source: starts no other'),
  '1.2.6': notApplicable('No LDAP injection', 'No LDAP.'),
  '1.2.7': notApplicable('No XPath injection', 'No XPath.'),
  '1.2.8': notApplicable('LaTeX is processed safely', 'No LaTeX.'),
  '1.2.9': notApplicable('Input in regular expressions is escaped', 'No expression is made from input.'),
  '1.3.1': notApplicable('HTML of users is sanitized', 'No HTML is taken from users.'),
  '1.3.2': shown('No eval', 'source.test.ts#source: no eval or'),
  '1.3.3': shown(
    'What goes to a dangerous place is cleaned and cut',
    'src/mail/templates.test.ts#a hostile name: no',
    'src/providers/providers.test.ts#a name is cleaned'
  ),
  '1.3.4': notApplicable('SVG of users is sanitized', 'No SVG is taken from users.'),
  '1.3.5': notApplicable('Markdown, CSS and the like of users are sanitized', 'None is taken from users.'),
  '1.3.6': shown(
    'No request is made to an address that a client names',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every',
    'src/providers/client.test.ts#redirects of a provider'
  ),
  '1.3.7': shown(
    'No template is made from input',
    'src/pages/templates.test.ts#values are inserted, escaped',
    'attacks/fuzz.test.ts#500 requests'
  ),
  '1.3.8': notApplicable('No JNDI injection', 'No JNDI.'),
  '1.3.9': notApplicable('No memcache injection', 'No memcache.'),
  '1.3.10': notApplicable('No format strings from input', 'None is made from input.'),
  '1.3.11': shown(
    'No mail injection',
    'bad-input.test.ts#every route with a',
    'src/mail/templates.test.ts#a hostile name: no'
  ),
  '1.4.1': notApplicable('Memory-safe strings', 'JavaScript is memory-safe.'),
  '1.4.2': notApplicable('No integer overflow', 'No arithmetic is done on numbers of clients.'),
  '1.4.3': shown(
    'Memory and handles are released',
    'faults/soak.long.ts#s of mixed traffic',
    'attacks/slow-clients.long.ts#slow clients without a'
  ),
  '1.5.1': notApplicable('XML parsers are restricted', 'No XML.'),
  '1.5.2': shown(
    'Deserializing is safe',
    'bad-input.test.ts#every route with a',
    'src/error-handler.test.ts#every error: its status'
  ),
}
