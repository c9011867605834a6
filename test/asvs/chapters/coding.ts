import { deployment, notApplicable, shown, type Chapter } from '../entry.ts'

const NO_WEBRTC = 'No WebRTC.'

export const CODING: Chapter = {
  '15.1.1': shown('How soon weak packages are replaced is written down', 'asvs/decisions.test.ts#section on dependencies: deadlines'),
  '15.1.2': shown('Packages are listed, from one registry', 'source.test.ts#package-lock.json: every package has'),
  '15.1.3': shown('What is expensive is written down', 'asvs/decisions.test.ts#section on expensive operations'),
  '15.2.1': deployment(
    'No package is older than that allows',
    'Whoever runs it updates it: `npm audit --omit=dev` tells.'
  ),
  '15.2.2': shown(
    'What is expensive is bounded',
    'plugins/credentials/passwords.test.ts#full queue: refused at',
    'routes/api/auth/password/check.test.ts#POST /api/auth/password/check: a flood',
    'plugins/infrastructure/database.test.ts#an exhausted pool is',
    'attacks/slow-clients.long.ts#slow clients without a'
  ),
  '15.2.3': shown(
    'Nothing in production that it does not need',
    'deploy/production-install.long.ts#image: only the built',
    'src/config.test.ts#the embedded stack runs'
  ),
  '15.3.1': shown(
    'Answers hold the fields that are needed',
    'contract.test.ts#every documented status is',
    'routes/login.test.ts#username and password (200)'
  ),
  '15.3.2': shown(
    'Redirects of others are not followed',
    'src/providers/client.test.ts#redirects of a provider'
  ),
  '15.3.3': shown('No field is set that was not meant', 'bad-input.test.ts#every route with a'),
  '15.3.4': shown(
    'The address of a client is the true one',
    'plugins/edge/limits-address.test.ts#POST /login: which requests',
    'plugins/edge/limits-address.test.ts#without TRUST_PROXY',
    'deploy/nginx.long.ts#POST /login: with a',
    'deploy/nginx.long.ts#GET /api/auth/sessions: the real'
  ),
  '15.3.5': shown(
    'Types are strict',
    'src/error-handler.test.ts#every error: its status',
    'bad-input.test.ts#every route with a'
  ),
  '15.3.6': shown(
    'No prototype is polluted',
    'bad-input.test.ts#every route with a',
    'attacks/tossed-cookies.test.ts#GET /api/auth/me: malformed cookies'
  ),
  '15.3.7': shown(
    'A parameter that comes twice fools nobody',
    'bad-input.test.ts#GET /api/auth/me: a bad',
    'attacks/tossed-cookies.test.ts#POST /api/auth/refresh: of two',
    'routes/api/auth/social.test.ts#/callback: cancelled',
    'attacks/raw-requests.test.ts#ambiguous requests (400): the'
  ),
}

export const LOGGING: Chapter = {
  '16.1.1': shown('What is logged is listed', 'asvs/decisions.test.ts#section on logs: lists'),
  '16.2.1': shown(
    'A line says when, where, who and what',
    'src/observability/log.test.ts#one line for each',
    'attacks/log-injection.test.ts#refused requests are logged'
  ),
  '16.2.2': shown(
    'Times are in UTC, from a clock that is right',
    'attacks/log-injection.test.ts#refused requests are logged',
    'src/cli/doctor-parts.test.ts#a clock that is an hour off'
  ),
  '16.2.3': deployment(
    'Logs go where it is written',
    'To standard output; where from there is up to you.',
    'asvs/decisions.test.ts#section on logs: lists'
  ),
  '16.2.4': shown(
    'Logs can be read by machines, and put together',
    'src/observability/log.test.ts#one line for each',
    'attacks/log-injection.test.ts#log injection: every entry'
  ),
  '16.2.5': shown(
    'No secret in a log',
    'src/observability/log.test.ts#secrets in any part',
    'secrets.test.ts#no token, password or',
    'deploy/nginx.long.ts#the access log has'
  ),
  '16.3.1': shown(
    'Every sign-in is logged, and every failed one',
    'routes/login.test.ts#POST /login: one response',
    'routes/login.test.ts#username and password (200)',
    'routes/api/auth/social.test.ts#/callback: provider misbehaves, back',
    'attacks/log-injection.test.ts#refused requests are logged'
  ),
  '16.3.2': shown('Who was refused is logged', 'attacks/log-injection.test.ts#refused requests are logged'),
  '16.3.3': shown(
    'Attempts to get around are logged',
    'attacks/log-injection.test.ts#refused requests are logged',
    'routes/api/auth/refresh.test.ts#POST /api/auth/refresh: fifty replays'
  ),
  '16.3.4': shown(
    'What goes wrong inside is logged',
    'src/error-handler.test.ts#every error: its status',
    'plugins/infrastructure/jobs.test.ts#PostgreSQL down under a'
  ),
  '16.4.1': shown('Nobody can write lines into the log', 'attacks/log-injection.test.ts#log injection: every entry'),
  '16.4.2': deployment('Logs are protected', 'Up to whoever collects them.'),
  '16.4.3': deployment('Logs go to another machine', 'Up to whoever collects them.'),
  '16.5.1': shown(
    'Errors tell nothing of the inside',
    'src/error-handler.test.ts#every error: its status',
    'attacks/fuzz.test.ts#500 requests'
  ),
  '16.5.2': shown(
    'It goes on, safely, when a part is away',
    'faults/fault-table.long.ts#the fault table',
    'plugins/edge/limits-outage.test.ts#during a flood, limits'
  ),
  '16.5.3': shown(
    'What fails lets nobody in',
    'plugins/edge/limits-outage.test.ts#during a flood, limits',
    'routes/login.test.ts#POST /login: not counted',
    'support/faults/check-history.ts#steps with faults'
  ),
}

export const WEBRTC: Chapter = Object.fromEntries(
  [
    ['17.1.1', 'TURN serves no inner addresses'],
    ['17.2.1', 'DTLS keys are protected'],
    ['17.2.2', 'Approved DTLS suites'],
    ['17.2.3', 'SRTP is authenticated'],
    ['17.2.4', 'Malformed SRTP is survived'],
    ['17.3.1', 'Signalling survives a flood'],
    ['17.3.2', 'Signalling survives malformed messages'],
  ].map(([id, what]) => [id, notApplicable(what as string, NO_WEBRTC)])
)
