/** A series as Prometheus names it, such as `gatehouse_events_total{event="sign_in"}`, and its value. */
type Scrape = Map<string, number>

export async function scrape (url: string): Promise<Scrape> {
  const answer = await fetch(url)
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`)
  return parse(await answer.text())
}

function parse (text: string): Scrape {
  const samples = text.split('\n').filter(line => line && !line.startsWith('#'))
  return new Map(samples.map(line => {
    const [, series = '', value = ''] = line.match(/^(\S+?(?:\{.*\})?) (\S+)$/) ?? []
    if (!series) throw new Error(`no sample: ${line}`)
    return [series, Number(value.replace(/inf$/i, 'Infinity'))]
  }))
}

export const metricOf = (series: string): string => series.replace(/\{.*$/, '')
