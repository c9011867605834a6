import t from 'tap'
import { Settings } from '../../src/config.ts'
import {
  components, fileNames, kustomization, manifests, optionalManifests, problemsOf, settings, type Manifest
} from '../support/deploy/manifests.ts'

const of = (kind: string) => [...manifests, ...optionalManifests].find(manifest => manifest.kind === kind) as Manifest
const deployment = of('Deployment')
const [service] = deployment.spec.template.spec.containers
const backup = of('CronJob').spec.jobTemplate.spec
const pods = [deployment.spec, of('Job').spec, backup].map(({ template }) => template.spec)

t.test('manifests: valid by the schemas of the Kubernetes API', async t => {
  for (const manifest of [...manifests, ...optionalManifests]) {
    t.strictSame(await problemsOf(manifest), [], manifest.kind)
  }
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
  t.match(labels, of('PodMonitor').spec.selector.matchLabels)
  t.match(backup.template.metadata.labels, of('NetworkPolicy').spec.podSelector.matchLabels)
  t.notMatch(backup.template.metadata.labels, of('Service').spec.selector, 'nor the backup')
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
    of('NetworkPolicy').spec.ingress[1].ports[0].port,
    of('PodMonitor').spec.podMetricsEndpoints[0].port,
    service.livenessProbe.httpGet.port,
  ]) { t.ok(ports.includes(port)) }
})

t.test('manifests: known settings, secrets by reference', async t => {
  t.strictSame(
    Object.keys(settings).filter(name => !(name in Settings.properties)),
    []
  )
  t.notOk(of('Secret'))
  t.strictSame(service.envFrom, [
    { configMapRef: { name: kustomization.configMapGenerator[0].name } },
    { secretRef: { name: 'gatehouse' } },
  ])
  t.notMatch(JSON.stringify(service), 'migration', 'the service does not have the password of the owner')
})

t.test('deployment: probes, and enough time to drain', async t => {
  t.equal(service.livenessProbe.httpGet.path, '/health/live')
  t.equal(service.readinessProbe.httpGet.path, '/health/serving', 'access checks need no PostgreSQL')
  const pause = Number(service.lifecycle.preStop.exec.command[1])
  const drain = Number(settings.DRAIN_SECONDS)
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

t.test('kustomization.yaml: a changed setting or secret replaces the pods', async t => {
  const generators = [
    ...kustomization.configMapGenerator, ...kustomization.secretGenerator,
    ...components.flatMap(({ secretGenerator = [] }) => secretGenerator),
  ] as Array<{ name: string, envs: string[], options?: object }>
  const names = generators.map(({ name }) => name)
  const used = pods.flatMap(({ containers }) => containers.flatMap(({ envFrom }: any) => envFrom))
    .map(({ configMapRef, secretRef }) => (configMapRef ?? secretRef).name)
  t.strictSame(new Set(used), new Set(names), 'the hash is added to names that a generator knows')
  t.strictSame(generators.filter(({ options }) => options), [])
  t.notOk(kustomization.generatorOptions)
  t.notOk(of('ConfigMap'), 'no settings without a hash')
})

t.test('ingress.yaml: leads to the service, at the host of PUBLIC_URL', async t => {
  const { tls, rules } = of('Ingress').spec
  const { hostname } = new URL(settings.PUBLIC_URL ?? '')
  t.strictSame([tls[0].hosts, rules[0].host], [[hostname], hostname])
  const { name, port } = rules[0].http.paths[0].backend.service
  t.match(of('Service'), { metadata: { name }, spec: { ports: [{ name: port.name }] } })
})

t.test('deployment: spread over zones and nodes, with a fixed number of hashing threads', async t => {
  const constraints = deployment.spec.template.spec.topologySpreadConstraints
  t.strictSame(
    constraints.map(({ topologyKey }: { topologyKey: string }) => topologyKey),
    ['topology.kubernetes.io/zone', 'kubernetes.io/hostname']
  )
  const { labels } = deployment.spec.template.metadata
  for (const { labelSelector } of constraints) t.match(labels, labelSelector.matchLabels)
  t.notOk(service.resources.limits.cpu)
  t.match(settings.HASHING_THREADS, /^\d+$/, 'otherwise all cores of the node')
})

t.test('migrate.yaml, backup.yaml: end within a time', async t => {
  for (const { activeDeadlineSeconds, backoffLimit } of [of('Job').spec, backup]) {
    t.ok(activeDeadlineSeconds >= 600)
    t.ok(backoffLimit >= 1)
  }
})

t.test('network-policy.yaml: traces can leave', async t => {
  const ports = of('NetworkPolicy').spec.egress.flatMap(({ ports }: any) => ports.map(({ port }: any) => port))
  t.ok(ports.includes(4318), 'OTLP over HTTP')
})

t.test('deployment: a failing version stops the roll-out, and other services add no settings', async t => {
  t.ok(deployment.spec.minReadySeconds > 0)
  t.ok(deployment.spec.progressDeadlineSeconds >= 60)
  t.equal(deployment.spec.template.spec.enableServiceLinks, false)
  t.equal(of('HorizontalPodAutoscaler').spec.minReplicas, 2)
  for (const { matchLabelKeys } of deployment.spec.template.spec.topologySpreadConstraints) {
    t.strictSame(matchLabelKeys, ['pod-template-hash'])
  }
})

t.test('disruption-budget.yaml, namespace.yaml: a broken pod blocks no drain, pods are restricted', async t => {
  t.match(of('PodDisruptionBudget').spec, { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' })
  for (const mode of ['enforce', 'warn', 'audit']) {
    t.equal(of('Namespace').metadata.labels?.[`pod-security.kubernetes.io/${mode}`], 'restricted')
  }
})

t.test('network-policy.yaml: PostgreSQL, Redis and Sentinel can be reached', async t => {
  const ports = of('NetworkPolicy').spec.egress.flatMap(({ ports }: any) => ports.map(({ port }: any) => port))
  for (const port of [5432, 6379, 26379]) t.ok(ports.includes(port), String(port))
})
