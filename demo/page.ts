import { escapeHtml } from '../src/site/html.ts'

/** Forbids scripts and external resources. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'", "style-src 'unsafe-inline'", 'img-src data:', "base-uri 'none'", "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
}

/** Like pages/style.css, which belongs to the service: a provider is another site. */
const STYLE = `
:root { color-scheme: light dark; --surface: #fff; --text: #1a1d24; --quiet: #5b6270; --line: #d9dce3; --edge: #858c99;
  --page: color-mix(in srgb, var(--accent) 6%, #f4f5f8);
  font: 1rem/1.5 -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Noto Sans", Ubuntu, Cantarell,
    "Liberation Sans", system-ui, sans-serif }
@media (prefers-color-scheme: dark) { :root { --surface: #191d25; --text: #e8eaef; --quiet: #a2a9b6; --line: #2f3541;
  --edge: #727a89; --page: color-mix(in srgb, var(--accent) 8%, #101319) } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; background: var(--page); color: var(--text) }
main { width: 100%; max-width: 27rem; margin: 0 auto; padding: 2rem 1.5rem 2.5rem }
.site { display: flex; align-items: center; gap: .75rem; margin: 0 0 2rem; color: inherit; font-weight: 600 }
h1 { margin: 0 0 .5rem; font-size: 1.625rem; line-height: 1.25; letter-spacing: -.015em; text-wrap: balance }
p { margin: 0 0 1.5rem; color: var(--quiet) }
a { color: inherit }
fieldset { border: 0; margin: 0 0 1.5rem; padding: 0 }
legend, .caption { padding: 0; margin-bottom: .375rem; font-weight: 600; font-size: .9375rem }
.person { display: flex; align-items: center; gap: .75rem; margin-bottom: .5rem; padding: .625rem .875rem;
  border: 1px solid var(--line); border-radius: .625rem; background: var(--surface); cursor: pointer }
.person:hover { border-color: var(--edge) }
.person:has(:checked) { border-color: var(--accent); background: color-mix(in srgb, var(--accent) 9%, var(--surface)) }
.person input { flex: none; width: 1.125rem; height: 1.125rem; margin: 0; accent-color: var(--accent) }
.person input:not(:checked) { appearance: none; border: 1px solid var(--edge); border-radius: 50%;
  background: var(--surface) }
.person small { display: block; color: var(--quiet); overflow-wrap: anywhere }
.else { display: none; gap: .5rem }
fieldset:has([value=somebody-else]:checked) .else { display: grid }
input[type=text], select { width: 100%; min-height: 3rem; padding: .625rem .875rem; border: 1px solid var(--edge);
  border-radius: .625rem; background: var(--surface); color: inherit; font: inherit }
select { appearance: none; padding-inline-end: 2.25rem;
  background: conic-gradient(from -45deg at 50% 100%, var(--quiet) 90deg, transparent 0) calc(100% - .875rem) /
    .75rem .375rem no-repeat var(--surface) }
label > .caption { display: block }
.answers { display: flex; gap: .75rem; margin-top: 1.5rem }
button { flex: 1; min-height: 3rem; padding: .5rem 1.125rem; border: 1px solid var(--edge); border-radius: .625rem;
  background: var(--surface); color: inherit; font: inherit; font-weight: 600; cursor: pointer }
button:hover { border-color: var(--edge) }
button.main { background: var(--accent); border-color: var(--accent); color: #fff }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
@media (min-width: 34rem) {
  body { padding: clamp(2rem, 9vh, 7rem) 1rem }
  main { padding: 2.5rem; background: var(--surface); border: 1px solid var(--line); border-radius: 1.25rem }
}
`

export interface Theme {
  title: string
  accent: string
  /** An SVG image. */
  mark: string
}

const imageOf = (mark: string) => `data:image/svg+xml,${encodeURIComponent(mark)}`

/** `html` is inserted as it is: the caller escapes it. */
export function page ({ title, accent, mark }: Theme, html: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${imageOf(mark)}">
<style>:root { --accent: ${accent} }${STYLE}</style>
</head>
<body>
<main>
<p class="site"><img src="${imageOf(mark)}" alt="" width="40" height="40">${escapeHtml(title)}</p>
${html}
</main>
</body>
</html>
`
}

export function errorPage (theme: Theme, reason: string): string {
  return page(theme, `<h1>This did not work</h1>\n<p>${escapeHtml(reason)}</p>`)
}
