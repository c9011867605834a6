import { escapeHtml } from '../src/pages/html.ts'

/** Forbids scripts and external resources. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'", "style-src 'unsafe-inline'", 'img-src data:', "base-uri 'none'", "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
  --line: color-mix(in srgb, CanvasText 18%, Canvas); --quiet: color-mix(in srgb, CanvasText 65%, Canvas) }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem 1rem;
  background: color-mix(in srgb, var(--accent) 6%, Canvas) }
main { width: 100%; max-width: 27rem; padding: 2rem; background: Canvas;
  border: 1px solid var(--line); border-top: .3rem solid var(--accent); border-radius: .75rem }
h1 { margin: 0; font-size: 1.35rem; line-height: 1.3 }
p { margin: .35rem 0 1.5rem; color: var(--quiet) }
fieldset { border: 0; margin: 0 0 1.5rem; padding: 0 }
legend, .caption { padding: 0; margin-bottom: .5rem; font-weight: 600; font-size: .9rem }
.person { display: flex; align-items: center; gap: .75rem; margin-bottom: .5rem; padding: .6rem .9rem;
  border: 1px solid var(--line); border-radius: .5rem; cursor: pointer }
.person:hover { border-color: var(--accent) }
.person:has(:checked) { border-color: var(--accent); background: color-mix(in srgb, var(--accent) 9%, Canvas) }
.person input { margin: 0; accent-color: var(--accent) }
.person small { display: block; color: var(--quiet); overflow-wrap: anywhere }
.else { display: none; gap: .5rem }
fieldset:has([value=somebody-else]:checked) .else { display: grid }
input[type=text], select { width: 100%; padding: .6rem .75rem; border: 1px solid var(--line); border-radius: .5rem;
  background: Canvas; color: CanvasText; font: inherit }
label > .caption { display: block }
.answers { display: flex; gap: .75rem; margin-top: 1.5rem }
button { flex: 1; padding: .7rem 1rem; border: 1px solid var(--line); border-radius: .5rem;
  background: Canvas; color: CanvasText; font: inherit; font-weight: 600; cursor: pointer }
button:hover { border-color: var(--accent) }
button.main { background: var(--accent); border-color: var(--accent); color: #fff }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
`

export interface Theme { title: string, accent: string }

/** Without one, browsers ask for /favicon.ico. */
function icon (accent: string): string {
  const circle = `<circle cx='4' cy='4' r='4' fill='${accent}'/>`
  const drawing = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'>${circle}</svg>`
  return `data:image/svg+xml,${encodeURIComponent(drawing)}`
}

/** `html` is inserted as it is: the caller escapes it. */
export function page ({ title, accent }: Theme, html: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${icon(accent)}">
<style>:root { --accent: ${accent} }${STYLE}</style>
</head>
<body>
<main>
${html}
</main>
</body>
</html>
`
}

export function errorPage (theme: Theme, reason: string): string {
  return page(theme, `<h1>${escapeHtml(theme.title)}</h1>\n<p>${escapeHtml(reason)}</p>`)
}
