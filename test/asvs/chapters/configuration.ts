import { deployment, shown, type Chapter } from '../entry.ts'

export const CONFIGURATION: Chapter = {
  '13.1.1': shown('Whom it talks to is written down', 'asvs/decisions.test.ts#section on connections: lists'),
  '13.2.1': deployment(
    'Parts prove who they are to one another',
    'Each has a role and a password of its own, from a file that is made for each installation. PostgreSQL and Redis take certificates instead where you set them up.',
    'deploy/compose.test.ts#compose.yaml: every variable is',
    'src/cli/init.test.ts#init: settings for deploy/compose.yaml'
  ),
  '13.2.2': shown(
    'No role may do more than it must',
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
    'It connects to listed places only',
    'It knows only the addresses of its settings. The network policy for Kubernetes bounds the ports; list hosts where you have a proxy.',
    'asvs/decisions.test.ts#section on connections: lists',
    'src/providers/client.test.ts#redirects of a provider'
  ),
  '13.2.5': deployment(
    'The web server loads from listed places only',
    'The nginx that we ship hands on to its instances, and serves no files.',
    'deploy/nginx.long.ts#nginx in front of two instances'
  ),
  '13.3.1': deployment(
    'Secrets are in a safe, and not in the source',
    'They come from the environment: fill it from your safe. The image and the manifests hold none.',
    'deploy/kubernetes.test.ts#manifests: known settings, secrets',
    'deploy/compose.test.ts#compose.yaml: every variable is',
    'deploy/production-install.long.ts#image: only the built'
  ),
  '13.3.2': deployment(
    'Secrets are for those who need them',
    'The migration alone knows the owner of the tables; the rest is up to your safe.',
    'deploy/kubernetes.test.ts#manifests: known settings, secrets'
  ),
  '13.4.1': shown(
    'No .git to be had',
    'attacks/files.test.ts#path traversal: only the',
    'deploy/production-install.long.ts#image: only the built'
  ),
  '13.4.2': shown(
    'No debugging in production',
    'src/error-handler.test.ts#every error: its status',
    'src/config.test.ts#the embedded stack runs'
  ),
  '13.4.3': shown('No listing of folders', 'attacks/files.test.ts#path traversal: only the'),
  '13.4.4': shown('No TRACE', 'attacks/raw-requests.test.ts#CONNECT, Upgrade, TRACE and'),
  '13.4.5': shown(
    'Documentation and monitoring are there on purpose',
    'app.test.ts#the route table is complete',
    'openapi.test.ts#GET /docs: only files of our own'
  ),
}

export const DATA: Chapter = {
  '14.1.1': shown(
    'Data is put in classes',
    'asvs/decisions.test.ts#section on data: lists',
    'asvs/accounts.test.ts#tokens hold only the'
  ),
  '14.1.2': shown('How each class is protected is written down', 'asvs/decisions.test.ts#section on data: lists'),
  '14.2.1': shown(
    'No secret in a URL: links carry theirs behind the #',
    'routes/register.test.ts#POST /register → mail',
    'pages/journey.test.ts#verify: the token leaves',
    'src/observability/log.test.ts#one line for each'
  ),
  '14.2.2': shown(
    'Nothing private is kept by caches',
    'plugins/edge/headers.test.ts#every response has the',
    'attacks/fuzz.test.ts#500 requests'
  ),
  '14.2.3': shown(
    'Nothing goes to trackers',
    'source.test.ts#source: nothing is loaded',
    'openapi.test.ts#GET /docs: only files of our own'
  ),
  '14.2.4': shown(
    'Each class is protected as written',
    'secrets.test.ts#no token, password or',
    'plugins/records/purge.test.ts#purge: deletes expired rows',
    'plugins/infrastructure/jobs.test.ts#completed jobs, which hold',
    'routes/api/auth/me.test.ts#DELETE /api/auth/me: deletes everything'
  ),
  '14.3.1': shown(
    'Signing out clears what the browser has',
    'routes/logout.test.ts#POST /logout: ends only',
    'pages/journey.test.ts#sign out: in all'
  ),
  '14.3.2': shown(
    'no-store on what is private',
    'plugins/edge/headers.test.ts#every response has the',
    'plugins/site/pages.test.ts#GET and HEAD of'
  ),
  '14.3.3': shown(
    'Nothing private in the storage of a browser',
    'source.test.ts#source: cookies are the',
    'asvs/accounts.test.ts#tokens hold only the'
  ),
}
