/** The parts of the operator API's documentation that concern all of its routes. */
export const OPERATOR_INFO = {
  title: 'Gatehouse for operators',
  summary: 'Find and change accounts from your own systems',
  description: [
    'Served by the listener of `OPERATOR_PORT` alone, never on the public port.\n',
    '- **Keys**: `gatehouse api-key add NAME --scope users:read` prints a key once. Send it as ' +
    '`Authorization: Bearer gh_…`. 401 without a valid key, 403 without the scope.',
    '- **Pages**: a list has a `next` value. Send it as `cursor` to get the next page.',
    '- **Idempotency**: a request that creates something can have an `Idempotency-Key` header. Another request with ' +
    'the same key within a day gets the same response and creates nothing. Routes whose response has a secret ' +
    'refuse it.',
    '- **Errors** have the form `{ error, message }`.',
    '- **Records**: every change is an event with the name of the key or operator.',
  ].join('\n'),
  license: { name: 'MIT', identifier: 'MIT' },
}

export const OPERATOR_TAGS = [
  { name: 'Users', description: 'Find, create, change and delete accounts.' },
  { name: 'Events', description: 'What happened, and who did it.' },
  { name: 'Limits', description: 'Rate limits of a client address or a login name.' },
  { name: 'Webhooks', description: 'Other systems that are told what happens to accounts.' },
  { name: 'Applications', description: 'Applications that sign users in with OpenID Connect.' },
  { name: 'Audit', description: 'Whether recorded events are still those that were sealed.' },
  { name: 'Service', description: 'Keys of this API, signing keys and mails.' },
  { name: 'Session', description: 'Sign-in of operators, for their page.' },
  { name: 'Documentation', description: 'This document.' },
]

export const OPERATOR_SECURITY_SCHEMES = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'A key from `gatehouse api-key add`.' },
} as const

export const WITH_KEY = [{ apiKey: [] }]
