import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'

const CGROUPS = '/sys/fs/cgroup'

/**
 * The cores that this process may use: at least one, and a fraction is left to the event loop.
 * os.availableParallelism() knows no quota of cgroup v1, whose controllers each have a tree of their own.
 */
export function availableCores (cores = availableParallelism(), root = '/'): number {
  return Math.max(1, Math.floor(Math.min(cores, ...quotas(root))))
}

/** The CPU limits of the control group and of its parents, in cores. */
function quotas (root: string): number[] {
  return read(root, '/proc/self/cgroup').split('\n').flatMap(line => {
    const [, controllers = '', group = ''] = line.match(/^\d+:([^:]*):(\/.*)$/) ?? []
    if (line.startsWith('0::')) return withParents(group).map(path => quotaV2(root, join(CGROUPS, path)))
    if (!controllers.split(',').includes('cpu')) return []
    return withParents(group).map(path => quotaV1(root, join(CGROUPS, controllers, path)))
  })
}

/** In a container, the path may be the one on the host. Then only its last parent exists, which is the container. */
function withParents (group: string): string[] {
  return group === '/' || group === '' ? ['/'] : [group, ...withParents(dirname(group))]
}

/** `150000 100000`: the time in each period. `max`: no limit. */
function quotaV2 (root: string, group: string): number {
  const [time, period] = read(root, join(group, 'cpu.max')).split(' ').map(Number)
  return coresFor(time, period)
}

/** -1: no limit. */
function quotaV1 (root: string, group: string): number {
  const [time, period] = ['quota', 'period'].map(name => Number(read(root, join(group, `cpu.cfs_${name}_us`))))
  return coresFor(time, period)
}

function coresFor (time = 0, period = 0): number {
  return time > 0 && period > 0 ? time / period : Infinity
}

function read (root: string, file: string): string {
  try {
    return readFileSync(join(root, file), 'utf8')
  } catch {
    return ''
  }
}
