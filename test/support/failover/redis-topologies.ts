import type { Test } from 'tap'
import { startCluster, startSentinel } from '../redis-nodes.ts'

export interface RedisTopology {
  url: string
  /** Of one of the servers. */
  port: number
  /** With SIGKILL. Another server takes over by itself. */
  killPrimary (): Promise<void>
}

/** Until the others agree that a node of the cluster is lost, in milliseconds. */
const NODE_TIMEOUT = 1_500

export const REDIS_TOPOLOGIES = {
  async sentinel (t: Test): Promise<RedisTopology> {
    const { url, master } = await startSentinel(t, { sentinels: 3 })
    return { url, port: master.port, killPrimary: master.stop }
  },
  async cluster (t: Test): Promise<RedisTopology> {
    const { url, nodes } = await startCluster(t, { replicas: 1, nodeTimeout: NODE_TIMEOUT })
    const primary = nodes[2]!
    return { url, port: primary.port, killPrimary: primary.stop }
  },
}
