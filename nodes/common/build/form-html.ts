import { labelKey, shortName } from "../shared/field-rules.ts";
import type { Field, NodeDescription } from "../shared/fields.ts";

/** The template of a node's form, as Node-RED loads it: one row for each field, in the order of the table. */
export function formHtml(node: NodeDescription, isConfig: boolean): string {
  const rows: string[] = [];
  let close = "";
  const open = (begin: string, end: string): void => {
    rows.push(close, begin);
    close = end;
  };
  for (const [name, field] of Object.entries(node.fields)) {
    const id = `crec-${shortName(node.type)}-${name}`;
    if (field.kind === "section") open(...section(node, name, field.folded === true));
    else
      rows.push(
        row({ node, name, field, id, input: `${isConfig ? "node-config-input" : "node-input"}-${name}` }),
      );
  }
  const lines = [...rows, close].filter((line) => line !== "");
  // The class is what the rules of `nodes/common/editor/style.ts` apply to.
  const form = `<div class="crec-form">\n${lines.join("\n")}\n</div>`;
  return `<script type="text/html" data-template-name="${node.type}">\n${form}\n</script>\n`;
}

const SHORT_LIST = 6;

type Place = { node: NodeDescription; name: string; field: Field; id: string; input: string };

function row(place: Place): string {
  const { field, id, input } = place;
  switch (field.kind) {
    case "hidden":
      return "";
    case "note":
      return `<div class="form-tips" id="${id}" ${text(key(place, "note"))}></div>`;
    case "button": {
      const icon = field.icon ? `<i class="fa fa-${field.icon}" aria-hidden="true"></i> ` : "";
      const result = field.result ? `<div class="crec-result" id="${id}-result" role="status"></div>` : "";
      const button = `<button type="button" class="red-ui-button crec-button" id="${id}">${icon}<span ${text(labelOf(place))}></span></button>`;
      return formRow(place, `${button}${result}`);
    }
    case "boolean": {
      const box = field.numeric ? id : input;
      const hidden = field.numeric ? `<input type="hidden" id="${input}">` : "";
      const tick = `<input type="checkbox" id="${box}" style="width: auto; vertical-align: top">`;
      const label = `<label class="crec-tick" for="${box}">${tick} <span ${text(labelOf(place))}></span></label>`;
      return formRow(place, `<label></label> ${label}${hidden}${hint(place)}`);
    }
    case "list": {
      const ticks = field.options.map((option) => {
        const tick = `${id}-${option.replaceAll(".", "-")}`;
        const word = field.areStatuses ? `<span ${text(`common.service.${option}`)}></span>` : option;
        return `<label for="${tick}" style="display: block; width: auto"><input type="checkbox" id="${tick}" style="width: auto; vertical-align: top"> ${word}</label>`;
      });
      const label = `<label class="crec-top" id="${id}-label">${iconOf(field)}<span ${text(labelOf(place))}></span></label>`;
      // A long list in two columns, so that the form fits the screen.
      const columns =
        ticks.length > SHORT_LIST ? "display: grid; grid-template-columns: auto auto; column-gap: 16px" : "";
      const box = `<div class="crec-list"><div style="${columns}">${ticks.join("")}</div><div class="crec-hint" ${text(key(place, "hint"))}></div></div>`;
      return `<div class="form-row" id="${id}-row" role="group" aria-labelledby="${id}-label">${label} ${box}</div>`;
    }
    case "custom": {
      const role = field.role ? ` role="${field.role}"` : "";
      const isLabelled = field.label !== false && field.label !== undefined;
      const part = `<div id="${id}"${role}${isLabelled ? ` aria-labelledby="${id}-label"` : ""}></div>`;
      if (!isLabelled) return `<div id="${id}-row">${part}</div>`;
      const label = `<label id="${id}-label">${iconOf(field)}<span ${text(labelOf(place))}></span></label>`;
      return formRow(place, `${label} ${part}`);
    }
    default:
      return formRow(place, `${label(place)} ${box(place)}${unit(place)}${hint(place)}`);
  }
}

function box({ node, name, field, id, input }: Place): string {
  const placeholder = placeholderOf({ node, name, field, id, input });
  switch (field.kind) {
    case "text": {
      const style = [`width: ${field.width ?? "70%"}`, field.monospace ? "font-family: monospace" : ""];
      const attributes = `id="${input}" style="${style.filter(Boolean).join("; ")}"${placeholder}${field.readonly ? " readonly" : ""}`;
      return field.lines
        ? `<textarea ${attributes} rows="${field.lines}" spellcheck="false"></textarea>`
        : `<input type="text" ${attributes}>`;
    }
    case "number": {
      // Of a flow without the setting: what the node uses.
      const used = field.optional || field.default === "" ? "" : ` placeholder="${field.default}"`;
      return `<input type="text" inputmode="decimal" id="${input}" style="width: 80px"${placeholder || used}>`;
    }
    case "typed":
      if (field.lines)
        return `<input type="text" id="${id}-source" style="width: 70%"><input type="hidden" id="${input}Type"><textarea id="${input}" rows="${field.lines}" style="width: 70%; margin: 6px 0 0 105px; font-family: monospace" spellcheck="false"${placeholder}></textarea>`;
      return `<input type="text" id="${input}" style="width: ${field.width ?? "70%"}"${placeholder}><input type="hidden" id="${input}Type">`;
    case "credential":
      return `<input type="password" id="${input}" autocomplete="new-password"${placeholder}>`;
    case "select": {
      const options = field.filledLater ? [] : field.options;
      const shown = options.map((option) =>
        field.literal
          ? `<option>${option}</option>`
          : `<option value="${option}" ${text(`${shortName(node.type)}.${name}.${option || "any"}`)}></option>`,
      );
      return `<select id="${input}" style="width: ${field.width ?? "70%"}">${shown.join("")}</select>`;
    }
    default:
      return `<input type="text" id="${input}">`;
  }
}

function section(node: NodeDescription, name: string, isFolded: boolean): [string, string] {
  const id = `crec-${shortName(node.type)}-${name}`;
  const title = text(labelKey(node, name));
  return isFolded
    ? [`<details id="${id}"><summary><span ${title}></span></summary>`, "</details>"]
    : [
        `<fieldset id="${id}" style="margin-top: 18px"><legend ${title} style="font-size: 14px; line-height: 28px; margin-bottom: 10px; color: inherit; border-color: var(--red-ui-form-input-border-color)"></legend>`,
        "</fieldset>",
      ];
}

function formRow({ id }: Place, content: string): string {
  return `<div class="form-row" id="${id}-row">${content}</div>`;
}

function label(place: Place): string {
  const isBesideLines = place.field.kind === "text" && place.field.lines !== undefined;
  return `<label${isBesideLines ? ' class="crec-top crec-first-line"' : ""} for="${place.input}">${iconOf(place.field)}<span ${text(labelOf(place))}></span></label>`;
}

function iconOf(field: Field): string {
  return "icon" in field && field.icon ? `<i class="fa fa-${field.icon}"></i> ` : "";
}

function unit(place: Place): string {
  const given = "unit" in place.field ? place.field.unit : undefined;
  return given ? ` <span ${text(given === true ? key(place, "unit") : given)}></span>` : "";
}

function hint(place: Place): string {
  const given = "hint" in place.field ? place.field.hint : undefined;
  if (!given) return "";
  return `<div class="crec-hint" data-field="${place.name}" ${text(given === true ? key(place, "hint") : given)}></div>`;
}

function placeholderOf(place: Place): string {
  const given = "placeholder" in place.field ? place.field.placeholder : undefined;
  if (!given) return "";
  if (typeof given === "object") return ` placeholder="${given.text}"`;
  return ` data-i18n="[placeholder]${given === true ? key(place, "placeholder") : given}"`;
}

function key({ node, name }: Place, part: string): string {
  return `${shortName(node.type)}.${part}.${name}`;
}

function labelOf({ node, name }: Place): string {
  return labelKey(node, name);
}

function text(catalogKey: string): string {
  return `data-i18n="${catalogKey}"`;
}
