// Differences of kept reports, and what they mean for those who use the package.

type Difference = { key: string; before: string | undefined; after: string | undefined; isBreaking: boolean };

/**
 * What differs between two reports. What is gone or means something else can break a flow or a program; what is new
 * cannot, as far as a report can tell.
 *
 * @param before as it is kept
 * @param after as it is now
 * @param harmless keys whose value is for people, or which users cannot lose
 * @returns what breaks first
 */
export function differences(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
  harmless?: RegExp,
): Difference[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys
    .filter((key) => before[key] !== after[key])
    .map((key) => {
      const isNew = before[key] === undefined;
      const isHarmless = harmless?.test(key) === true && after[key] !== undefined;
      return { key, before: before[key], after: after[key], isBreaking: !isNew && !isHarmless };
    })
    .sort((a, b) => Number(b.isBreaking) - Number(a.isBreaking));
}

/**
 * The library's report as one text for each declaration. Comments are left out: they are not part of the API.
 *
 * @param markdown as API Extractor writes it
 */
export function declarations(markdown: string): Record<string, string> {
  const code = /```ts\n([\s\S]*?)\n```/.exec(markdown)?.[1] ?? "";
  const blocks = code
    .split("\n\n")
    .map((block) => block.replaceAll(/^\s*\/\/.*\n?/gm, "").trim())
    .filter((block) => block !== "");
  return Object.fromEntries(blocks.map((block) => [nameOf(block), block]));
}

function nameOf(block: string) {
  const [, kind = "", name = ""] =
    /^(?:export )?(?:declare )?(?:abstract )?(type|class|interface|const|function|enum|namespace) (\w+)/.exec(
      block,
    ) ?? [];
  // A function can have several signatures, and a name can be a value and a type.
  return name === "" ? block : kind === "function" ? (block.split("\n")[0] ?? name) : `${kind} ${name}`;
}

/** As `differences`. A declaration that only gains lines for what is optional does not break its users. */
export function libraryDifferences(before: string, after: string): Difference[] {
  return differences(declarations(before), declarations(after))
    .map((difference) => ({ ...difference, isBreaking: difference.isBreaking && !onlyGains(difference) }))
    .sort((a, b) => Number(b.isBreaking) - Number(a.isBreaking));
}

function onlyGains({ before = "", after = "" }: Difference) {
  const { gone, added } = lineDifference(before, after);
  const isOptional = (line: string) => /^(?:readonly )?\w+\?:/.test(line);
  const isMember = (line: string) =>
    /^export class/.test(before) && /\);?$|: .*;$/.test(line) && !NO_ADDITION.test(line);
  // What is inside something new is new as well.
  const outermost = added.filter((place) => !added.some((other) => place.startsWith(`${other}\n`)));
  const lines = outermost.map(lastLine);
  return after !== "" && gone.length === 0 && lines.every((line) => isOptional(line) || isMember(line));
}

/** Members that take something away from those who make objects of a class, or classes of it. */
const NO_ADDITION = /^(?:private|protected|abstract) |^constructor\b/;

/** @returns lines with their places */
function lineDifference(before: string, after: string): { gone: string[]; added: string[] } {
  const [old, now] = [places(before), places(after)];
  return { gone: without(old, now), added: without(now, old) };
}

/** @param others each of which takes one away */
function without(all: readonly string[], others: readonly string[]) {
  const left = [...others];
  return all.filter((one) => {
    const index = left.indexOf(one);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}

/** Each line behind those that it is nested in: two objects in a type can have a line that is the same. */
function places(text: string) {
  const around: Array<{ indent: number; line: string }> = [];
  return text.split("\n").map((line) => {
    const indent = line.search(/\S/);
    // It belongs to what it ends, and so does what it begins, such as the next part of a union.
    const ends = /^\s*[)\]}]/.test(line);
    while (around.length > 0) {
      const { indent: last } = around.at(-1) as (typeof around)[number];
      if (last < indent || (last === indent && ends)) break;
      around.pop();
    }
    around.push({ indent, line });
    return around.map((one) => one.line).join("\n");
  });
}

const lastLine = (place: string) => place.slice(place.lastIndexOf("\n") + 1).trim();

/**
 * Differences as lines for people, and what to do about them.
 *
 * @param file of the report, from the root
 * @returns empty if there are none
 */
export function explained(file: string, found: readonly Difference[]): string {
  if (found.length === 0) return "";
  const breaks = found.some(({ isBreaking }) => isBreaking);
  return [
    `${file} is not what the sources say:`,
    ...found.map(line),
    "",
    breaks
      ? 'Something that users rely on is gone or different. Keep the old one beside the new one, or convert it (a migration for settings of nodes). If it has to go, this is a breaking change: the next major version (before 1.0.0 the next minor one), and a line under "Breaking" in CHANGELOG.md that says what to do.'
      : "Additions only: the next minor version, and a line in CHANGELOG.md.",
    'Then run "npm run api:update" and commit the report. docs/compatibility.md has the rules.',
  ].join("\n");
}

function line({ key, before, after, isBreaking }: Difference) {
  const [sign, what] =
    before === undefined ? ["+", "added"] : after === undefined ? ["-", "removed"] : ["~", "changed"];
  const start = `  ${sign} ${isBreaking ? "BREAKING" : "fine    "}  ${what}: ${key.split("\n")[0]}`;
  if (what !== "changed") return `${start}${shownValue(before ?? after ?? "", key)}`;
  if (!`${before}${after}`.includes("\n")) return `${start}: ${before || "nothing"} → ${after || "nothing"}`;
  const { gone, added } = lineDifference(before ?? "", after ?? "");
  return [
    start,
    ...gone.map((one) => `      - ${lastLine(one)}`),
    ...added.map((one) => `      + ${lastLine(one)}`),
  ].join("\n");
}

function shownValue(value: string, key: string) {
  return value === "" || value.startsWith(key) || value.includes("\n") ? "" : `: ${value}`;
}
