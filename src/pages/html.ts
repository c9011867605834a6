const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escapeHtml (text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character] as string)
}

/** HTML that is safe to send: whatever stands in it was escaped. */
export class Html {
  readonly text: string

  constructor (text: string) {
    this.text = text
  }

  toString (): string {
    return this.text
  }
}

type Part = string | number | Html | Html[] | undefined

function textOf (part: Part): string {
  if (Array.isArray(part)) return part.join('\n')
  return part instanceof Html ? part.text : escapeHtml(String(part ?? ''))
}

/** html`<p>${text}</p>`: text is escaped, HTML is not escaped again. */
export function html (strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(textOf)))
}

/** One line of Markdown: `code` and **bold**. */
export function phrase (text: string): Html {
  return new Html(escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>').replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>'))
}

/** As much of Markdown as our descriptions use: paragraphs, lists, `code` and **bold**. */
export function prose (text = ''): Html {
  const blocks = text.split(/\n{2,}/).filter(Boolean)
  return html`${blocks.map(block => block.startsWith('- ')
    ? html`<ul>${block.split(/\n/).map(line => html`<li>${phrase(line.slice(2))}</li>`)}</ul>`
    : html`<p>${phrase(block)}</p>`)}`
}
