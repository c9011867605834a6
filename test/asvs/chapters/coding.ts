import { deployment, notApplicable, shown, type Chapter } from '../entry.ts'

const NO_WEBRTC = 'No WebRTC.'

export const CODING: Chapter = {
  '15.1.1': shown('How soon weak packages are replaced is written down', 'asvs/decisions.test.ts#parts of others'),
  '15.1.2': shown('Packages are listed, from one registry', 'source.test.ts#every package is locked'),
  '15.1.3': shown('What is expensive is written down', 'asvs/decisions.test.ts#what is expensive'),
  '15.2.1': deployment(
    'No package is older than that allows',
    'Whoever runs it updates it: `npm audit --omit=dev` tells.'
  ),
  '15.2.2': shown(
    'What is expensive is bounded',
    'plugins/credentials/passwords.test.ts#more than the queue holds',
    'routes/api/auth/password/check.test.ts#a flood of hostile ones',
    'plugins/infrastructure/database.test.ts#a pool that is all taken',
    'attacks/slow-clients.long.ts#slow clients at the bare'
  ),
  '15.2.3': shown(
    'Nothing in production that it does not need',
    'deploy/production-install.long.ts#and nothing else',
    'src/config.test.ts#the embedded stack is for a machine'
  ),
  '15.3.1': shown(
    'Answers hold the fields that are needed',
    'contract.test.ts#every status that the document names',
    'routes/login.test.ts#username and password (200)'
  ),
  '15.3.2': shown(
    'Redirects of others are not followed',
    'src/providers/client.test.ts#a provider that sends us elsewhere'
  ),
  '15.3.3': shown('No field is set that was not meant', 'bad-input.test.ts#bad bodies are refused'),
  '15.3.4': shown(
    'The address of a client is the true one',
    'plugins/edge/limits-address.test.ts#who is one client',
    'plugins/edge/limits-address.test.ts#without TRUST_PROXY',
    'deploy/nginx.long.ts#a forged address',
    'deploy/nginx.long.ts#a session is remembered'
  ),
  '15.3.5': shown(
    'Types are strict',
    'src/error-handler.test.ts#each refusal has its status',
    'bad-input.test.ts#bad bodies are refused'
  ),
  '15.3.6': shown(
    'No prototype is polluted',
    'bad-input.test.ts#bad bodies are refused',
    'attacks/tossed-cookies.test.ts#odd cookies'
  ),
  '15.3.7': shown(
    'A parameter that comes twice fools nobody',
    'bad-input.test.ts#of two cookies with one name',
    'attacks/tossed-cookies.test.ts#of two refresh tokens',
    'routes/api/auth/social.test.ts#/callback: cancelled',
    'attacks/raw-requests.test.ts#what can be read in two ways'
  ),
}

export const LOGGING: Chapter = {
  '16.1.1': shown('What is logged is listed', 'asvs/decisions.test.ts#logs: every event'),
  '16.2.1': shown(
    'A line says when, where, who and what',
    'src/observability/log.test.ts#one line a request',
    'attacks/log-injection.test.ts#who was refused'
  ),
  '16.2.2': shown(
    'Times are in UTC, from a clock that is right',
    'attacks/log-injection.test.ts#who was refused',
    'src/cli/doctor-parts.test.ts#a clock that is an hour off'
  ),
  '16.2.3': deployment(
    'Logs go where it is written',
    'To standard output; where from there is up to you.',
    'asvs/decisions.test.ts#logs: every event'
  ),
  '16.2.4': shown(
    'Logs can be read by machines, and put together',
    'src/observability/log.test.ts#one line a request',
    'attacks/log-injection.test.ts#whatever somebody sends'
  ),
  '16.2.5': shown(
    'No secret in a log',
    'src/observability/log.test.ts#a secret in any place',
    'secrets.test.ts#after everything that people do',
    'deploy/nginx.long.ts#the access log holds no query'
  ),
  '16.3.1': shown(
    'Every sign-in is logged, and every failed one',
    'routes/login.test.ts#one answer for every cause',
    'routes/login.test.ts#username and password (200)',
    'routes/api/auth/social.test.ts#whatever the provider does wrong',
    'attacks/log-injection.test.ts#who was refused'
  ),
  '16.3.2': shown('Who was refused is logged', 'attacks/log-injection.test.ts#who was refused'),
  '16.3.3': shown(
    'Attempts to get around are logged',
    'attacks/log-injection.test.ts#who was refused',
    'routes/api/auth/refresh.test.ts#fifty replays at once are one event'
  ),
  '16.3.4': shown(
    'What goes wrong inside is logged',
    'src/error-handler.test.ts#each refusal has its status',
    'plugins/infrastructure/jobs.test.ts#PostgreSQL goes away under a running worker'
  ),
  '16.4.1': shown('Nobody can write lines into the log', 'attacks/log-injection.test.ts#whatever somebody sends'),
  '16.4.2': deployment('Logs are protected', 'Up to whoever collects them.'),
  '16.4.3': deployment('Logs go to another machine', 'Up to whoever collects them.'),
  '16.5.1': shown(
    'Errors tell nothing of the inside',
    'src/error-handler.test.ts#each refusal has its status',
    'attacks/fuzz.test.ts#500 requests'
  ),
  '16.5.2': shown(
    'It goes on, safely, when a part is away',
    'faults/fault-table.long.ts#the fault table',
    'plugins/edge/limits-outage.test.ts#in the middle of a flood'
  ),
  '16.5.3': shown(
    'What fails lets nobody in',
    'plugins/edge/limits-outage.test.ts#in the middle of a flood',
    'routes/login.test.ts#what could not be checked',
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
