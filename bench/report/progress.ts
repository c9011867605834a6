/** One line with the current step and its duration. In a log file, one line for each step. */
export function createProgress () {
  const { stderr } = process
  const began = performance.now()
  let part = ''
  let line = ''
  const clear = () => {
    if (stderr.isTTY) stderr.write('\r\x1b[K')
  }
  const show = () =>
    stderr.write(
      `\r\x1b[K${Math.round((performance.now() - began) / 1_000)} s  ${line}`.slice(0, (stderr.columns ?? 80) + 4)
    )
  const timer = stderr.isTTY ? setInterval(show, 1_000).unref() : undefined

  function progress (nextPart: string, what: string) {
    line = `${nextPart}: ${what}`
    if (timer) show()
    else if (nextPart !== part) stderr.write(`${Math.round((performance.now() - began) / 1_000)} s  ${nextPart}\n`)
    part = nextPart
  }

  return Object.assign(progress, {
    clear () {
      clearInterval(timer)
      clear()
    },
  })
}
