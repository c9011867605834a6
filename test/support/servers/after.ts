// tap runs this once after the test files.
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from './alive.ts'
import { readServers } from './servers.ts'

const servers = readServers()
if (servers) process.kill(servers.pid)
// Removing the file is the last thing that process does; an ended process may still look alive for seconds.
while (readServers() && isAlive(servers?.pid)) await sleep(20)
