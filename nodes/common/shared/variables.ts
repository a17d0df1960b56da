import { type CodedError, nodeError } from "./errors.ts";

/** A value that is wholly `${NAME}`: Node-RED puts the variable in its place, and leaves the text where none is set. */
const REFERENCE = /^\$\{(\S+)\}$/;
/** What people call a node and its ports is only shown. */
const SHOWN_ONLY = new Set(["name", "info", "inputLabels", "outputLabels"]);

export function isReference(text: string): boolean {
  return REFERENCE.test(text);
}

export function variableMissing(name: string): CodedError {
  return nodeError(
    "VARIABLE_MISSING",
    `The variable ${name} is not set where Node-RED runs. Set it and start Node-RED again, or type the value in.`,
  );
}

/**
 * The first variable that is named in settings, as Node-RED hands them to a node, and not set. A typed input is left
 * out: it is checked when it is read, and only if it is. So is its place in a list of calls.
 */
export function unsetVariable(settings: unknown): CodedError | undefined {
  if (typeof settings === "string") {
    const name = REFERENCE.exec(settings.trim())?.[1];
    return name === undefined ? undefined : variableMissing(name);
  }
  if (typeof settings !== "object" || settings === null) return undefined;
  for (const [key, value] of Object.entries(settings)) {
    const isTyped = `${key}Type` in settings || (key === "value" && "type" in settings);
    const found = isTyped || SHOWN_ONLY.has(key) ? undefined : unsetVariable(value);
    if (found) return found;
  }
  return undefined;
}

/** The text itself. @throws VARIABLE_MISSING */
export function requireSet(text: string): string {
  const unset = unsetVariable(text);
  if (unset) throw unset;
  return text;
}

/** What Node-RED puts into the box of a credential that is stored. */
export const STORED_PASSWORD = "__PWRD__";

/**
 * A mark that is stored after a typed key, new each time. A person who changes a flow can set every other field, but does
 * not know the key: a new mark shows that a person who knows the key has entered it again.
 */
const MARK = /^(.+) typed-([\w-]+)$/s;

export function markTyped(key: string, moment: string): string {
  return `${withoutMark(key)} typed-${moment}`;
}

/** The key itself. */
export function withoutMark(stored: string): string {
  return MARK.exec(stored)?.[1] ?? stored;
}

/** The value of a field for a config node while none is chosen: Node-RED's entry that adds one. */
export const ADD_NEW = "_ADD_";

/** Whether a value of such a field names a config node. */
export function isChosen(id: unknown): boolean {
  return Boolean(id) && id !== ADD_NEW;
}
