import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { parse, parseAllDocuments } from 'yaml'

const FOLDER = join(import.meta.dirname, '../../../deploy/kubernetes')

export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string, labels?: Record<string, string> }
  [field: string]: any
}
/** The package does not export them. */
const OPERATOR_SCHEMAS = join(
  import.meta.dirname,
  '../../../node_modules/@kubernetes-models/prometheus-operator/_schemas',
  'ComGithubPrometheusOperatorPrometheusOperatorPkgApisMonitoringV1'
)

type Validate = ((data: unknown) => boolean) & {
  errors?: Array<{ instancePath: string, message?: string, keyword: string }>
}

export const kustomization = parse(read('kustomization.yaml'))
/** The optional parts. */
export const components = ['pod-monitor', 'backup']
  .map(name => ({ name, ...parse(read(`${name}/kustomization.yaml`)) }))
export const fileNames = readdirSync(FOLDER).filter(name => /\.yaml$/.test(name) && name !== 'kustomization.yaml')
export const settings = parseEnv(read('settings.env')) as Record<string, string>
export const manifests: Manifest[] = fileNames.flatMap(manifestsIn)
export const optionalManifests: Manifest[] = components.flatMap(({ name, resources }) =>
  resources.flatMap((file: string) => manifestsIn(`${name}/${file}`)))

function read (file: string): string {
  return readFileSync(join(FOLDER, file), 'utf8')
}

function manifestsIn (file: string): Manifest[] {
  return parseAllDocuments(read(file)).map(document => document.toJS({ maxAliasCount: 0 }))
}

/** The errors in a manifest by the schemas of the Kubernetes API. */
export async function problemsOf (manifest: Manifest): Promise<string[]> {
  const validate = await validatorOf(manifest)
  const watched = watch(manifest)
  validate(watched.value)
  const wrong = (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath}: ${keyword}`)
  return [...wrong, ...watched.unread().map(path => `${path}: unknown`)]
}

/** apps/v1 Deployment → IoK8sApiAppsV1Deployment */
async function validatorOf ({ apiVersion, kind }: Manifest): Promise<Validate> {
  if (apiVersion === 'monitoring.coreos.com/v1') {
    return (await import(`${OPERATOR_SCHEMAS}${kind}.js`)).validate
  }
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion]
  const capital = (word = '') => word.charAt(0).toUpperCase() + word.slice(1)
  const module = await import(
    `kubernetes-models/_schemas/IoK8sApi${capital(group.split('.')[0])}${capital(version)}${kind}`
  )
  return module.validate
}

/** The schemas accept unknown fields without reading them: a field that was not read is unknown to the API. */
function watch (root: object) {
  const paths = new Set<string>()

  function wrap (value: unknown, path: string): unknown {
    if (typeof value !== 'object' || value === null) return value
    for (const key of Object.keys(value)) paths.add(`${path}/${key}`)
    const children = new Map(Object.entries(value).map(([key, child]) => [key, wrap(child, `${path}/${key}`)]))
    return new Proxy(value, {
      get (target, key) {
        if (typeof key === 'string') paths.delete(`${path}/${key}`)
        return children.get(key as string) ?? Reflect.get(target, key)
      },
    })
  }

  return { value: wrap(root, ''), unread: () => [...paths] }
}
