/** Files come from the service, and nothing from anywhere else. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

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
<style>${style}</style>
</head>
<body class="dashboard" data-count="${count}">
<header>
<p class="brand"><img src="/gatehouse/icon.svg" alt="" width="32" height="32">${title}</p>
<a class="button" href="/login">Sign in</a>
</header>
<main>
${html}
</main>
${script && `<script>${script}</script>\n`}</body>
</html>
`
}
