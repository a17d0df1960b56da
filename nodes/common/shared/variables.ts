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
