const total = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000

/** Milliseconds that all threads of this process have used. Other processes do not change it. */
export const processorTime = (): number => total(process.cpuUsage())

/** Uses so many milliseconds of processor time, which therefore pass, too. */
export function burn (ms: number) {
  const end = total(process.threadCpuUsage()) + ms
  while (total(process.threadCpuUsage()) < end);
}
