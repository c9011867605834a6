import type { Weather } from './tcp-proxy.ts'
import type { Random } from './random.ts'
import type { Service } from './service.ts'
import type { Town } from './cluster.ts'

/** Something goes wrong, lasts, and is mended. */
export interface Trouble {
  what: string
  begin(): unknown
  mend(): unknown
}

const ROADS = ['front', 'postgres', 'redis', 'smtp'] as const

function badWeather (random: Random): Weather {
  const kind = random.pick(['delay', 'stall', 'cut', 'refuse'] as const)
  if (kind === 'delay') return { kind, ms: random.between(20, 800) }
  if (kind === 'cut') return { kind, afterBytes: random.between(0, 400) }
  return { kind }
}

/** On one of the roads to or from one of the services. */
export function roadTrouble ({ services }: Town, random: Random): Trouble {
  const index = random.between(0, services.length - 1)
  const road = random.pick(ROADS)
  const weather = badWeather(random)
  const proxy = (services[index] as Service).proxies[road]
  return {
    what: `${weather.kind} on ${road} of service ${index}`,
    begin: () => proxy.set(weather),
    mend: proxy.clear,
  }
}

/** To a part itself. `onLife` hears of each one that begins anew. */
export function partTrouble (
  { services, database, counters, mail }: Town,
  random: Random,
  onLife: (part: 'redis' | 'service') => void
): Trouble {
  const index = random.between(0, services.length - 1)
  const service = services[index] as Service
  return random.pick<Trouble>([
    {
      what: `service ${index} killed`,
      begin: service.kill,
      mend () {
        onLife('service')
        return service.start()
      },
    },
    { what: `service ${index} frozen`, begin: service.freeze, mend: service.thaw },
    { what: 'PostgreSQL killed', begin: database.kill, mend: database.restart },
    { what: 'PostgreSQL frozen', begin: database.freeze, mend: database.thaw },
    {
      what: 'Redis killed',
      begin: counters.kill,
      mend () {
        onLife('redis')
        return counters.restart()
      },
    },
    { what: 'Redis frozen', begin: counters.freeze, mend: counters.thaw },
    { what: 'mail server down', begin: mail.stop, mend: mail.start },
    { what: 'mail server refuses', begin: () => mail.refuse(3, 451), mend () {} },
  ])
}
