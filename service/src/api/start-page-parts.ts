import { type Html, html } from "./html.ts";

/** A name, and what the page says under it. */
export type Row = [name: string, value: Html];

export function section(id: string, title: string, rows: Row[]): Html {
  return html`<section aria-labelledby="${id}" data-renew="${id}">
<h2 id="${id}">${title}</h2>
<dl>
${rows.map(
  ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>
`,
)}</dl>
</section>`;
}

export function code(text: string): Html {
  return html`<code>${text}</code>`;
}
