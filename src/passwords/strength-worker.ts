import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import zxcvbn from 'zxcvbn'
import type { Strength } from './policy.ts'

// On Linux this is the priority of this thread alone; elsewhere it would be that of the whole process.
if (process.platform === 'linux') {
  try {
    setPriority(10)
  } catch {}
}

parentPort?.on('message', function rate ({ password, words }: { password: string, words: string[] }) {
  const { score, feedback: { suggestions, warning } } = zxcvbn(password, words)
  parentPort?.postMessage({ score, feedback: [...suggestions, warning].filter(Boolean) } satisfies Strength)
})
parentPort?.postMessage('ready')
