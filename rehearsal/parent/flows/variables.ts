/** A value that is a variable as a whole, in both forms that Node-RED takes. */
const WHOLE = /^\$(?:\{(\S+)\}|\((\S+)\))$/;
/** Within other text. Fields of the type `env` can hold several. */
const WITHIN = /\$\{([^}\s]+)\}/g;
const IN_JSONATA = /\$env\(\s*["']([^"']+)["']\s*\)/g;
const IN_CODE = /\benv\.get\(\s*["'`]([^"'`]+)["'`]\s*\)/g;
/** Of template nodes. */
const IN_TEMPLATE = /\{\{\{?&?\s*env\.([^}\s]+)/g;
/** What a function node runs. There, `${name}` is JavaScript. */
const CODE = new Set(["func", "initialize", "finalize"]);

/**
 * The variables that the fields of a node name: `${NAME}`, fields of the type `env`, `$env("NAME")`, `env.get("NAME")` in
 * code, and `{{env.NAME}}`.
 */
export function variablesIn(value: unknown): Set<string> {
  const found = new Set<string>();
  collect(value, found);
  return found;
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value === "string") {
    const [, name, old] = WHOLE.exec(value) ?? [];
    if (name ?? old) found.add(String(name ?? old));
    addAll(IN_JSONATA, value, found);
    addAll(IN_TEMPLATE, value, found);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const entry of value) collect(entry, found);
    return;
  }
  const fields = Object.entries(value);
  for (const [name, field] of fields) {
    if (CODE.has(name)) {
      if (typeof field === "string") addAll(IN_CODE, field, found);
      continue;
    }
    collect(field, found);
    if (field !== "env") continue;
    const typed = Reflect.get(value, valueFieldOf(name));
    if (typeof typed === "string") collectTyped(typed, found);
  }
}

function addAll(names: RegExp, text: string, found: Set<string>): void {
  for (const [, name] of text.matchAll(names)) if (name) found.add(name);
}

/** `NAME`, or text with `${NAME}` in it. */
function collectTyped(text: string, found: Set<string>): void {
  const within = [...text.matchAll(WITHIN)].flatMap(([, name]) => name ?? []);
  for (const name of within.length > 0 ? within : [text]) if (name !== "") found.add(name);
}

/** The field whose type this one is: `payloadType` → `payload`, `pt` → `p`, `type` → `value`. */
function valueFieldOf(name: string): string {
  if (name === "type") return "value";
  return name.endsWith("Type") ? name.slice(0, -"Type".length) : name.replace(/t$/, "");
}
