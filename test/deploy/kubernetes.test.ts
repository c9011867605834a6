import t from 'tap'
import { Settings } from '../../src/config.ts'
import { fileNames, kustomization, manifests, problemsOf, type Manifest } from '../support/deploy/manifests.ts'

const of = (kind: string) => manifests.find(manifest => manifest.kind === kind) as Manifest
const deployment = of('Deployment')
const [service] = deployment.spec.template.spec.containers
const pods = [deployment, of('Job')].map(({ spec }) => spec.template.spec)

t.test('manifests: valid by the schemas of the Kubernetes API', async t => {
  for (const manifest of manifests) t.strictSame(await problemsOf(manifest), [], manifest.kind)
})

t.test('manifests: wrong fields are found', async t => {
  const slips: Array<[problem: string, make: (manifest: any) => void]> = [
    [
      '/spec/template/spec/containers/0/readynessProbe: unknown',
      ({ spec }) => {
        spec.template.spec.containers[0].readynessProbe = {}
      },
    ],
    [
      '/spec/template/spec/terminationGracePeriod: unknown',
      ({ spec }) => {
        spec.template.spec.terminationGracePeriod = 60
      },
    ],
    [
      '/spec/strategy/rollingUpdate/maxUnavailabel: unknown',
      ({ spec }) => {
        spec.strategy.rollingUpdate.maxUnavailabel = 0
      },
    ],
    [
      '/spec/template/spec/containers/0/livenessProbe/periodSeconds: type',
      ({ spec }) => {
        spec.template.spec.containers[0].livenessProbe.periodSeconds = '10'
      },
    ],
    [
      '/spec: required',
      ({ spec }) => {
        delete spec.selector
      },
    ],
  ]
  for (const [problem, make] of slips) {
    const broken = structuredClone(deployment)
    make(broken)
    t.ok((await problemsOf(broken)).includes(problem), problem)
  }
})

t.test('kustomization.yaml: names each file', async t => {
  t.strictSame([...kustomization.resources].sort(), fileNames.sort())
})

t.test('kustomization.yaml: the deployment can be applied after the migration', async t => {
  const left = manifests.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === 'service')
  t.strictSame(
    left.map(({ kind }) => kind),
    ['Deployment']
  )
})

t.test('manifests: all pods use the same image version', async t => {
  for (const { newTag } of kustomization.images) t.match(newTag, /^\d+\.\d+\.\d+$/)
})

t.test('manifests: every reference has a target', async t => {
  const { labels } = deployment.spec.template.metadata
  t.match(labels, deployment.spec.selector.matchLabels)
  t.match(labels, of('Service').spec.selector)
  t.match(labels, of('PodDisruptionBudget').spec.selector.matchLabels)
  t.match(labels, of('NetworkPolicy').spec.podSelector.matchLabels)
  t.match(of('Job').spec.template.metadata.labels, of('NetworkPolicy').spec.podSelector.matchLabels)
  t.notMatch(
    of('Job').spec.template.metadata.labels,
    of('Service').spec.selector,
    'the service does not select the migration'
  )
  t.match(of('HorizontalPodAutoscaler').spec.scaleTargetRef, {
    apiVersion: deployment.apiVersion,
    kind: deployment.kind,
    name: deployment.metadata.name,
  })
  t.equal(of('Namespace').metadata.name, kustomization.namespace)
  const ports = service.ports.map(({ name }: { name: string }) => name)
  for (const port of [
    of('Service').spec.ports[0].targetPort,
    of('NetworkPolicy').spec.ingress[0].ports[0].port,
    service.livenessProbe.httpGet.port,
  ]) { t.ok(ports.includes(port)) }
})

t.test('manifests: known settings, secrets by reference', async t => {
  t.strictSame(
    Object.keys(of('ConfigMap').data).filter(name => !(name in Settings.properties)),
    []
  )
  t.notOk(of('Secret'))
  t.strictSame(service.envFrom, [
    { configMapRef: { name: of('ConfigMap').metadata.name } },
    { secretRef: { name: 'gatehouse' } },
  ])
  t.notMatch(JSON.stringify(service), 'migration', 'the service does not have the password of the owner')
})

t.test('deployment: probes, and enough time to drain', async t => {
  t.equal(service.livenessProbe.httpGet.path, '/health/live')
  t.equal(service.readinessProbe.httpGet.path, '/health/serving', 'access checks need no PostgreSQL')
  const pause = Number(service.lifecycle.preStop.exec.command[1])
  const drain = Number(of('ConfigMap').data.DRAIN_SECONDS)
  t.ok(deployment.spec.template.spec.terminationGracePeriodSeconds > pause + drain + 30)
})

t.test('manifests: pods run with least privileges', async t => {
  for (const { automountServiceAccountToken, securityContext, containers } of pods) {
    t.equal(automountServiceAccountToken, false)
    t.match(securityContext, { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    for (const { resources, securityContext } of containers) {
      t.strictSame(securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      t.match(resources, { requests: { cpu: String, memory: String }, limits: { memory: String } })
    }
  }
})
