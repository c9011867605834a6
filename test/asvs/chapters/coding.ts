import { deployment, notApplicable, shown, type Chapter } from '../entry.ts'

const NO_WEBRTC = 'No WebRTC.'

export const CODING: Chapter = {
  '15.1.1': shown(
    'Deadlines for updating vulnerable packages are documented',
    'asvs/decisions.test.ts#section on dependencies'
  ),
  '15.1.2': shown(
    'Packages are inventoried and come from one registry',
    'source.test.ts#package-lock.json: every package has'
  ),
  '15.1.3': shown('Expensive operations are documented', 'asvs/decisions.test.ts#section on expensive operations'),
  '15.2.1': deployment(
    'No package exceeds these deadlines',
    'Update the service: `npm audit --omit=dev` reports vulnerable packages.'
  ),
  '15.2.2': shown(
    'Expensive operations are limited',
    'plugins/passwords/passwords.test.ts#full queue: refused at',
    'attacks/hostile-passwords.test.ts#POST /api/auth/password/check: a flood',
    'plugins/infrastructure/database.test.ts#an exhausted pool is',
    'attacks/slow-clients.long.ts#slow clients without a'
  ),
  '15.2.3': shown(
    'Production contains only what it needs',
    'deploy/production-install.long.ts#image: only the built',
    'src/config.test.ts#the embedded stack runs'
  ),
  '15.3.1': shown(
    'Responses contain only the required fields',
    'contract.test.ts#every documented status is',
    'routes/login/login.test.ts#username and password (200)'
  ),
  '15.3.2': shown(
    'Redirects of other services are not followed',
    'src/providers/client.test.ts#redirects of a provider'
  ),
  '15.3.3': shown('No mass assignment', 'schemas/bad-input.test.ts#every route with a'),
  '15.3.4': shown(
    'The client address cannot be forged',
    'plugins/edge/limits-address.test.ts#POST /login: which requests',
    'plugins/edge/limits-address.test.ts#without TRUST_PROXY',
    'deploy/nginx.long.ts#POST /login: with a',
    'deploy/nginx.long.ts#GET /api/auth/sessions: the real'
  ),
  '15.3.5': shown(
    'Types are checked strictly',
    'src/error-handler.test.ts#every error: its status',
    'schemas/bad-input.test.ts#every route with a'
  ),
  '15.3.6': shown(
    'No prototype pollution',
    'schemas/bad-input.test.ts#every route with a',
    'attacks/tossed-cookies.test.ts#GET /api/auth/me: malformed cookies'
  ),
  '15.3.7': shown(
    'No HTTP parameter pollution',
    'schemas/bad-input.test.ts#GET /api/auth/me: a bad',
    'attacks/tossed-cookies.test.ts#POST /api/auth/refresh: of two',
    'routes/api/auth/social.test.ts#/callback: cancelled',
    'attacks/raw-requests.test.ts#ambiguous requests (400): the'
  ),
}

export const LOGGING: Chapter = {
  '16.1.1': shown('Logging is inventoried', 'asvs/decisions.test.ts#section on logs: lists'),
  '16.2.1': shown(
    'Log entries say when, where, who and what',
    'src/observability/log.test.ts#one line for each',
    'attacks/log-injection.test.ts#refused requests are logged'
  ),
  '16.2.2': shown(
    'Times are in UTC, from synchronized clocks',
    'attacks/log-injection.test.ts#refused requests are logged',
    'src/cli/doctor-parts.test.ts#a clock that is an hour off'
  ),
  '16.2.3': deployment(
    'Logs only go to documented places',
    'The service logs to standard output; you decide where it goes from there.',
    'asvs/decisions.test.ts#section on logs: lists'
  ),
  '16.2.4': shown(
    'Logs are machine-readable and can be correlated',
    'src/observability/log.test.ts#one line for each',
    'attacks/log-injection.test.ts#log injection: every entry'
  ),
  '16.2.5': shown(
    'No secrets in logs',
    'src/observability/log.test.ts#secrets in any part',
    'plugins/records/secrets-at-rest.test.ts#no token, password or',
    'deploy/nginx.long.ts#the access log has'
  ),
  '16.3.1': shown(
    'Successful and failed sign-ins are logged',
    'routes/login/login.test.ts#POST /login: one response',
    'routes/login/login.test.ts#username and password (200)',
    'routes/api/auth/social.test.ts#/callback: provider misbehaves, back',
    'attacks/log-injection.test.ts#refused requests are logged'
  ),
  '16.3.2': shown(
    'Failed authorization is logged',
    'attacks/log-injection.test.ts#refused requests are logged',
    'operator/keys.test.ts#the log has each request'
  ),
  '16.3.3': shown(
    'Attempts to bypass controls are logged',
    'attacks/log-injection.test.ts#refused requests are logged',
    'routes/api/auth/refresh.test.ts#POST /api/auth/refresh: fifty replays'
  ),
  '16.3.4': shown(
    'Unexpected errors are logged',
    'src/error-handler.test.ts#every error: its status',
    'plugins/infrastructure/jobs.test.ts#PostgreSQL down under a'
  ),
  '16.4.1': shown('No log injection', 'attacks/log-injection.test.ts#log injection: every entry'),
  '16.4.2': shown(
    'Logs are protected from access and change',
    'plugins/audit/audit.test.ts#audit: each kind of tampering',
    'plugins/audit/audit.test.ts#audit: an event dated half a year back',
    'plugins/audit/audit.test.ts#audit: two instances seal',
    'plugins/audit/audit.test.ts#a history that was rewritten'
  ),
  '16.4.3': deployment(
    'Logs are sent to a separate system',
    'By the system that collects them. `gatehouse audit export --follow` prints the sealed events for it.',
    'plugins/audit/audit.test.ts#audit: exported in order'
  ),
  '16.5.1': shown(
    'Error messages reveal no internals',
    'src/error-handler.test.ts#every error: its status',
    'attacks/fuzz.test.ts#500 requests'
  ),
  '16.5.2': shown(
    'The service keeps working securely when a dependency fails',
    'faults/fault-table.long.ts#the fault table',
    'plugins/edge/limits-outage.test.ts#during a flood, limits'
  ),
  '16.5.3': shown(
    'Failures are fail-secure',
    'plugins/edge/limits-outage.test.ts#during a flood, limits',
    'routes/login/login.test.ts#POST /login: not counted',
    'support/faults/check-history.ts#steps with faults'
  ),
}

export const WEBRTC: Chapter = Object.fromEntries(
  [
    ['17.1.1', 'TURN gives no access to internal addresses'],
    ['17.2.1', 'DTLS keys are protected'],
    ['17.2.2', 'Approved DTLS cipher suites'],
    ['17.2.3', 'SRTP is authenticated'],
    ['17.2.4', 'Malformed SRTP is tolerated'],
    ['17.3.1', 'Signalling withstands a flood'],
    ['17.3.2', 'Signalling withstands malformed messages'],
  ].map(([id, what]) => [id, notApplicable(what as string, NO_WEBRTC)])
)
