import type { Cluster } from './cluster.ts'
import type { Random } from './random.ts'
import type { Service } from './service.ts'
import type { NetworkFault } from './tcp-proxy.ts'

export interface Fault {
  what: string
  begin(): unknown
  repair(): unknown
}

const CONNECTIONS = ['front', 'postgres', 'redis', 'smtp'] as const

function pickNetworkFault (random: Random): NetworkFault {
  const kind = random.pick(['delay', 'stall', 'cut', 'refuse'] as const)
  if (kind === 'delay') return { kind, ms: random.between(20, 800) }
  if (kind === 'cut') return { kind, afterBytes: random.between(0, 400) }
  return { kind }
}

/** A network fault on one of the connections of one of the services. */
export function randomNetworkFault ({ services }: Cluster, random: Random): Fault {
  const index = random.between(0, services.length - 1)
  const connection = random.pick(CONNECTIONS)
  const fault = pickNetworkFault(random)
  const proxy = (services[index] as Service).proxies[connection]
  return {
    what: `${fault.kind} on ${connection} of service ${index}`,
    begin: () => proxy.set(fault),
    repair: proxy.clear,
  }
}

/** A process is killed, frozen or stopped. `onStart` is called when Redis or an instance is started again. */
export function randomProcessFault (
  { services, database, counters, mail }: Cluster,
  random: Random,
  onStart: (part: 'redis' | 'service') => void
): Fault {
  const index = random.between(0, services.length - 1)
  const service = services[index] as Service
  return random.pick<Fault>([
    {
      what: `service ${index} killed`,
      begin: service.kill,
      repair () {
        onStart('service')
        return service.start()
      },
    },
    { what: `service ${index} frozen`, begin: service.freeze, repair: service.thaw },
    { what: 'PostgreSQL killed', begin: database.kill, repair: database.restart },
    { what: 'PostgreSQL frozen', begin: database.freeze, repair: database.thaw },
    {
      what: 'Redis killed',
      begin: counters.kill,
      repair () {
        onStart('redis')
        return counters.restart()
      },
    },
    { what: 'Redis frozen', begin: counters.freeze, repair: counters.thaw },
    { what: 'mail server down', begin: mail.stop, repair: mail.start },
    { what: 'mail server refuses', begin: () => mail.refuse(3, 451), repair () {} },
  ])
}
