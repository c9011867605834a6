const BAR_WIDTH = 24
/** In a pipe, one line each time. */
const PLAIN_INTERVAL = 10_000
const TERMINAL_INTERVAL = 200

type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>

/** A bar with the rate and the time left, on standard error; plain lines where that is no terminal. */
export function createProgress (total: number, unit: string, output: Output = process.stderr) {
  const began = performance.now()
  let shown = output.isTTY ? -Infinity : began

  function describe (done: number, count: number): string {
    const share = total > 0 ? Math.min(1, done / total) : 1
    const seconds = (performance.now() - began) / 1_000
    const rate = Math.round(count / Math.max(seconds, 0.001))
    const left = share > 0 ? timeLeft(seconds / share - seconds) : ''
    const text = `${Math.floor(share * 100)} %, ${format(count)} ${unit}, ${format(rate)} a second${left}`
    if (!output.isTTY) return text
    const filled = Math.round(share * BAR_WIDTH)
    return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${text}`.slice(0, (output.columns ?? 80) - 1)
  }

  return {
    /** `done` of the total, and how many units that were. */
    update (done: number, count: number) {
      const now = performance.now()
      if (now - shown < (output.isTTY ? TERMINAL_INTERVAL : PLAIN_INTERVAL)) return
      shown = now
      output.write(output.isTTY ? `\r\u001b[K${describe(done, count)}` : `${describe(done, count)}\n`)
    },

    end () {
      if (output.isTTY) output.write('\r\u001b[K')
    },
  }
}

const format = (count: number) => count.toLocaleString('en')

function timeLeft (seconds: number): string {
  if (seconds < 1) return ''
  return seconds < 90 ? `, ${Math.ceil(seconds)} s left` : `, ${Math.ceil(seconds / 60)} min left`
}
