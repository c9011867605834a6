import { html, phrase, prose, type Html } from './html.ts'
import { operationsOf, type Media, type OpenApi, type Operation, type Parameter, type Response } from './openapi.ts'
import { fieldsOf, type Field } from './schema-fields.ts'

type Located = ReturnType<typeof operationsOf>[number]

const anchorOf = (name: string) => name.toLowerCase().replace(/\W+/g, '-')
const pretty = (value: unknown) => JSON.stringify(value, null, 2)

/** The API documentation as parts of a page that needs no script. */
export function renderApiPage (document: OpenApi): Record<string, string> {
  const operations = operationsOf(document)
  const groups = document.tags.map(tag => ({ ...tag, operations: operations.filter(({ tags }) => tags[0] === tag.name) }))
  return {
    version: html`${document.info.version}`.text,
    introduction: html`<p class="lead">${document.info.summary}</p>${prose(document.info.description)}`.text,
    contents: html`${groups.map(({ name, operations }) => html`<li><a href="#${anchorOf(name)}">${name}</a><ul>${operations.map(entry)}</ul></li>`)}`.text,
    security: html`${Object.values(document.components.securitySchemes).map(scheme => html`<dt><code>${scheme.name}</code> ${scheme.in}</dt><dd>${phrase(scheme.description)}</dd>`)}`.text,
    operations: html`${groups.map(({ name, description, operations }) => html`<section aria-labelledby="${anchorOf(name)}"><h2 id="${anchorOf(name)}">${name}</h2>${prose(description)}${operations.map(operation => article(document, operation))}</section>`)}`.text,
  }
}

function methodBadge (method: string): Html {
  return html`<span class="method" data-method="${method}">${method}</span>`
}

function entry ({ method, operationId, summary }: Located): Html {
  return html`<li><a href="#${operationId}">${methodBadge(method)}<span>${summary}</span></a></li>`
}

function article (document: OpenApi, operation: Located): Html {
  const { method, path, operationId, summary, description, parameters, requestBody } = operation
  return html`<article id="${operationId}" aria-labelledby="${operationId}-title">
<h3 id="${operationId}-title">${summary}</h3>
<p class="address">${methodBadge(method)}<code>${path}</code></p>
${prose(description)}
${needs(document, operation)}
${parameters && block('Parameters', table(parameters.map(parameterField)))}
${requestBody && block('Body', body(document, requestBody.content))}
${block('Answers', html`<div class="answers">${Object.entries(operation.responses).map(([status, response]) => answer(document, status, response))}</div>`)}
</article>`
}

function block (title: string, content: Html): Html {
  return html`<h4>${title}</h4>${content}`
}

function needs ({ components }: OpenApi, { security }: Operation): Html {
  const ways = security.filter(way => Object.keys(way).length > 0)
  if (ways.length === 0) return html`<p class="needs">For everybody</p>`
  const names = ways.map(way => Object.keys(way).map(key => `\`${components.securitySchemes[key]?.name}\``).join(', '))
  return html`<p class="needs">${ways.length < security.length ? 'Takes' : 'Needs'} ${phrase(names.join(' or '))}</p>`
}

function parameterField ({ name, in: place, required = false, description = '', schema }: Parameter): Field {
  return { name, type: `${schema.type}, in the ${place}`, required, description }
}

function table (fields: Field[]): Html {
  return html`<dl class="fields">${fields.map(({ name, type, required, description }) =>
    html`<div><dt><code>${name}</code></dt><dd><span class="type">${type}${required ? '' : ', optional'}</span> ${phrase(description)}</dd></div>`)}</dl>`
}

function examplesOf (media: Media): Html {
  const values = media.examples ? Object.values(media.examples).map(({ value }) => value) : [media.example].filter(value => value !== undefined)
  return html`${values.map(value => html`<pre><code>${pretty(value)}</code></pre>`)}`
}

function body (document: OpenApi, content: Record<string, Media>): Html {
  return html`${Object.values(content).map(media => html`${table(fieldsOf(document, media.schema))}${examplesOf(media)}`)}`
}

/** Of a refusal the example says it all. */
function answer (document: OpenApi, status: string, { description, headers, content = {} }: Response): Html {
  const title = html`<span class="status" data-kind="${status[0]}">${status}</span><span>${phrase(description)}</span>`
  const isRefusal = Number(status) >= 400
  const [[type, media] = []] = Object.entries(content)
  if (!headers && type !== 'application/json') return html`<p>${title}</p>`
  return html`<details${isRefusal ? undefined : html` open`}>
<summary>${title}</summary>
${headers && table(Object.entries(headers).map(([name, { description = '' }]) => ({ name, type: 'header', required: true, description })))}
${media && type === 'application/json' ? html`${isRefusal ? undefined : table(fieldsOf(document, media.schema))}${examplesOf(media)}` : undefined}
</details>`
}
