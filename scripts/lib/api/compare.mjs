// @ts-check
// Differences of kept reports, and what they mean for those who use the package.

/** @typedef {{ key: string, before: string | undefined, after: string | undefined, isBreaking: boolean }} Difference */

/**
 * What differs between two reports. What is gone or means something else can break a flow or a program; what is new
 * cannot, as far as a report can tell.
 *
 * @param {Readonly<Record<string, string>>} before as it is kept
 * @param {Readonly<Record<string, string>>} after as it is now
 * @param {RegExp} [harmless] keys whose value is for people, or which users cannot lose
 * @returns {Difference[]} what breaks first
 */
export function differences(before, after, harmless) {
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
 * @param {string} markdown as API Extractor writes it
 * @returns {Record<string, string>}
 */
export function declarations(markdown) {
  const code = /```ts\n([\s\S]*?)\n```/.exec(markdown)?.[1] ?? "";
  const blocks = code
    .split("\n\n")
    .map((block) => block.replaceAll(/^\s*\/\/.*\n?/gm, "").trim())
    .filter((block) => block !== "");
  return Object.fromEntries(blocks.map((block) => [nameOf(block), block]));
}

/** @param {string} block */
function nameOf(block) {
  const [, kind = "", name = ""] =
    /^(?:export )?(?:declare )?(?:abstract )?(type|class|interface|const|function|enum|namespace) (\w+)/.exec(
      block,
    ) ?? [];
  // A function can have several signatures, and a name can be a value and a type.
  return name === "" ? block : kind === "function" ? (block.split("\n")[0] ?? name) : `${kind} ${name}`;
}

/**
 * As `differences`. A declaration that only gains lines for what is optional does not break its users.
 *
 * @param {string} before
 * @param {string} after
 * @returns {Difference[]}
 */
export function libraryDifferences(before, after) {
  return differences(declarations(before), declarations(after))
    .map((difference) => ({ ...difference, isBreaking: difference.isBreaking && !onlyGains(difference) }))
    .sort((a, b) => Number(b.isBreaking) - Number(a.isBreaking));
}

/** @param {Difference} difference */
function onlyGains({ before = "", after = "" }) {
  const { gone, added } = lineDifference(before, after);
  const isOptional = (/** @type {string} */ line) => /^(?:readonly )?\w+\?:/.test(line);
  const isMember = (/** @type {string} */ line) =>
    /^export class/.test(before) && /\);?$|: .*;$/.test(line) && !NO_ADDITION.test(line);
  // What is inside something new is new as well.
  const outermost = added.filter((place) => !added.some((other) => place.startsWith(`${other}\n`)));
  const lines = outermost.map(lastLine);
  return after !== "" && gone.length === 0 && lines.every((line) => isOptional(line) || isMember(line));
}

/** Members that take something away from those who make objects of a class, or classes of it. */
const NO_ADDITION = /^(?:private|protected|abstract) |^constructor\b/;

/**
 * @param {string} before
 * @param {string} after
 * @returns {{ gone: string[], added: string[] }} lines with their places
 */
function lineDifference(before, after) {
  const [old, now] = [places(before), places(after)];
  return { gone: without(old, now), added: without(now, old) };
}

/** @param {readonly string[]} all @param {readonly string[]} others each of which takes one away */
function without(all, others) {
  const left = [...others];
  return all.filter((one) => {
    const index = left.indexOf(one);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}

/**
 * Each line behind those that it is nested in: two objects in a type can have a line that is the same.
 *
 * @param {string} text
 */
function places(text) {
  /** @type {Array<{ indent: number, line: string }>} */
  const around = [];
  return text.split("\n").map((line) => {
    const indent = line.search(/\S/);
    // It belongs to what it ends, and so does what it begins, such as the next part of a union.
    const ends = /^\s*[)\]}]/.test(line);
    while (around.length > 0) {
      const { indent: last } = /** @type {typeof around[number]} */ (around.at(-1));
      if (last < indent || (last === indent && ends)) break;
      around.pop();
    }
    around.push({ indent, line });
    return around.map((one) => one.line).join("\n");
  });
}

/** @param {string} place */
const lastLine = (place) => place.slice(place.lastIndexOf("\n") + 1).trim();

/**
 * Differences as lines for people, and what to do about them.
 *
 * @param {string} file of the report, from the root
 * @param {readonly Difference[]} found
 * @returns {string} empty if there are none
 */
export function explained(file, found) {
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

/** @param {Difference} difference */
function line({ key, before, after, isBreaking }) {
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

/** @param {string} value @param {string} key */
function shownValue(value, key) {
  return value === "" || value.startsWith(key) || value.includes("\n") ? "" : `: ${value}`;
}
