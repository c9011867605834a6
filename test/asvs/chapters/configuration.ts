import { deployment, shown, type Chapter } from '../entry.ts'

export const CONFIGURATION: Chapter = {
  '13.1.1': shown(
    'Connections to other services are documented',
    'asvs/decisions.test.ts#section on connections: lists'
  ),
  '13.2.1': deployment(
    'Components authenticate to each other',
    'Each has its own role and password, generated for each installation. PostgreSQL and Redis can use certificates.',
    'deploy/compose.test.ts#compose.yaml: every variable is',
    'src/cli/init.test.ts#init: settings for deploy/compose.yaml'
  ),
  '13.2.2': shown(
    'Least privileges for each role',
    'src/database/migrate.test.ts#PostgreSQL denies the service',
    'plugins/infrastructure/jobs.test.ts#PostgreSQL denies the service',
    'deploy/kubernetes.test.ts#manifests: pods run with'
  ),
  '13.2.3': shown(
    'No default passwords',
    'deploy/compose.test.ts#compose.yaml: every variable is',
    'src/config.test.ts#serve: production without settings'
  ),
  '13.2.4': deployment(
    'Only listed external services are used',
    'The service uses only the addresses in its settings. Restrict hosts and ports in your network.',
    'asvs/decisions.test.ts#section on connections: lists',
    'src/providers/client.test.ts#redirects of a provider'
  ),
  '13.2.5': deployment(
    'The web server uses only listed sources',
    'The nginx in deploy/ forwards to its instances and serves no files.',
    'deploy/nginx.long.ts#nginx in front of two instances'
  ),
  '13.3.1': deployment(
    'Secrets are in a vault, not in the source',
    'They come from the environment: fill it from your vault. The image and the manifests hold none.',
    'deploy/kubernetes.test.ts#manifests: known settings, secrets',
    'deploy/compose.test.ts#compose.yaml: every variable is',
    'deploy/production-install.long.ts#image: only the built'
  ),
  '13.3.2': deployment(
    'Least privileges for access to secrets',
    'Only the migration gets the password of the owner; your vault controls the rest.',
    'deploy/kubernetes.test.ts#manifests: known settings, secrets'
  ),
  '13.4.1': shown(
    'No source control metadata is served',
    'attacks/files.test.ts#path traversal: only the',
    'deploy/production-install.long.ts#image: only the built'
  ),
  '13.4.2': shown(
    'No debugging in production',
    'src/error-handler.test.ts#every error: its status',
    'src/config.test.ts#the embedded stack runs'
  ),
  '13.4.3': shown('No directory listings', 'attacks/files.test.ts#path traversal: only the'),
  '13.4.4': shown('No TRACE', 'attacks/raw-requests.test.ts#CONNECT, Upgrade, TRACE and'),
  '13.4.5': shown(
    'Documentation and monitoring are exposed only where intended',
    'app.test.ts#the route table is complete',
    'openapi.test.ts#GET /docs: only files of our own',
    'operator/listener.test.ts#no operator route is on the public port'
  ),
}

export const DATA: Chapter = {
  '14.1.1': shown(
    'Sensitive data is classified',
    'asvs/decisions.test.ts#section on data: lists',
    'asvs/accounts.test.ts#tokens hold only the'
  ),
  '14.1.2': shown('The protection of each class is documented', 'asvs/decisions.test.ts#section on data: lists'),
  '14.2.1': shown(
    'No secrets in URLs: links carry theirs in the fragment',
    'routes/register.test.ts#POST /register → mail',
    'pages/journey.test.ts#verify: the token leaves',
    'src/observability/log.test.ts#one line for each'
  ),
  '14.2.2': shown(
    'Sensitive data is not cached by servers',
    'plugins/edge/headers.test.ts#every response has the',
    'attacks/fuzz.test.ts#500 requests'
  ),
  '14.2.3': shown(
    'No data is sent to trackers',
    'source.test.ts#source: nothing is loaded',
    'openapi.test.ts#GET /docs: only files of our own'
  ),
  '14.2.4': shown(
    'Each class is protected as documented',
    'plugins/records/secrets-at-rest.test.ts#no token, password or',
    'plugins/records/purge.test.ts#purge: deletes expired rows',
    'plugins/infrastructure/jobs.test.ts#completed jobs, which hold',
    'routes/api/auth/me.test.ts#DELETE /api/auth/me: deletes everything',
    'routes/api/auth/export.test.ts#every table and column',
    'operator/users.test.ts#DELETE /users/:id'
  ),
  '14.3.1': shown(
    'Signing out clears the data in the browser',
    'routes/logout.test.ts#POST /logout: ends only',
    'pages/journey.test.ts#sign out: in all'
  ),
  '14.3.2': shown(
    'Cache-Control: no-store on private responses',
    'plugins/edge/headers.test.ts#every response has the',
    'plugins/site/pages.test.ts#GET and HEAD of'
  ),
  '14.3.3': shown(
    'No sensitive data in browser storage',
    'source.test.ts#source: cookies are the',
    'asvs/accounts.test.ts#tokens hold only the'
  ),
}
