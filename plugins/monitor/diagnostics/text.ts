import type { Diagnostics } from "./types.ts";

/** The same as text, for a bug report. */
export function diagnosticsText(diagnostics: Diagnostics): string {
  const { madeAt, ...sections } = diagnostics;
  const parts = Object.entries(sections).map(([name, section]) =>
    [titleOf(name), ...linesOf(section)].join("\n"),
  );
  return [`CRE Connect diagnostics, ${madeAt}`, ...parts].join("\n\n").concat("\n");
}

/** `operationsUnderWay` as `Operations under way`. */
function titleOf(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

function linesOf(section: object): string[] {
  const lines = Array.isArray(section)
    ? section.map((entry: object) => `- ${pairsOf(entry).join(", ")}`)
    : pairsOf(section).map((pair) => `- ${pair}`);
  return lines.length > 0 ? lines : ["- nothing"];
}

/** `status.color: red` for a value in a value. */
function pairsOf(entry: object, path = ""): string[] {
  return Object.entries(entry).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined) return [];
    return typeof value === "object" && value !== null
      ? pairsOf(value, `${path}${name}.`)
      : [`${path}${name}: ${String(value)}`];
  });
}
