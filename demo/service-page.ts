/** Files come from the service, and nothing from anywhere else, except images of `imageHost`. */
export const pagePolicy = (imageHost = '') => [
  "default-src 'none'",
  "style-src 'self' 'unsafe-inline'",
  `img-src 'self' ${imageHost}`.trim(),
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The page that shows what can be tried. */
export const TOUR_PATH = '/gatehouse/demo'

/** Besides the variables, fields and buttons of pages/style.css. */
const FRAME_STYLE = `
body.demo { display: block; place-items: normal; padding: 0 }
.demo h1 { margin-bottom: .5rem }
.demo > header { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1rem;
  padding: .75rem 1.25rem; border-bottom: 1px solid var(--line); background: var(--surface) }
.demo > header .brand { color: inherit; text-decoration: none }
.demo > header nav { display: flex; align-items: center; gap: 1.25rem }
.demo > main { max-width: 68rem; margin: 0 auto; padding: 1.75rem 1.25rem 4rem }
@media (max-width: 34rem) { .demo > header nav a:not(.button) { display: none } }
@media (min-width: 34rem) {
  .demo > header { padding: .875rem max(2rem, (100% - 64rem) / 2) }
  .demo > main { padding: 2.5rem 2rem 5rem }
}
`

interface Frame { title: string, style: string, head?: string, count?: number, script?: string }

/** A page that the demo adds to the service, in its style. `html` is inserted as it is: the caller escapes it. */
export function servicePage ({ title, style, head = '', count = 0, script = '' }: Frame, html: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${head}<title>${title}</title>
<link rel="icon" href="/gatehouse/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/gatehouse/style.css">
<style>${FRAME_STYLE}${style}</style>
</head>
<body class="demo" data-count="${count}">
<header>
<a class="brand" href="${TOUR_PATH}"><img src="/gatehouse/icon.svg" alt="" width="32" height="32">${title}</a>
<nav><a href="${TOUR_PATH}">What to try</a> <a class="button" href="/login">Sign in</a></nav>
</header>
<main>
${html}
</main>
${script && `<script>${script}</script>\n`}</body>
</html>
`
}
