// Differences of kept reports, and what they mean for those who use the package. No tool has reports of nodes.

type Report = Readonly<Record<string, string>>;
type Difference = { key: string; before: string | undefined; after: string | undefined; isBreaking: boolean };

/**
 * What differs between two reports. What is gone or means something else can break a flow or a program; what is new
 * cannot, as far as a report can tell.
 *
 * @param harmless keys whose value is for people, or which users cannot lose
 * @returns what breaks first
 */
export function differences(before: Report, after: Report, harmless?: RegExp): Difference[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys
    .filter((key) => before[key] !== after[key])
    .map((key) => {
      const isHarmless = harmless?.test(key) === true && after[key] !== undefined;
      const isBreaking = before[key] !== undefined && !isHarmless;
      return { key, before: before[key], after: after[key], isBreaking };
    })
    .sort((a, b) => Number(b.isBreaking) - Number(a.isBreaking));
}

/**
 * Differences as lines for people, and what to do about them.
 *
 * @param file of the report, from the root
 * @returns empty if there are none
 */
export function explained(file: string, found: readonly Difference[]): string {
  if (found.length === 0) return "";
  return [
    `${file} is not what the sources say:`,
    ...found.map(line),
    "",
    found.some(({ isBreaking }) => isBreaking) ? IF_BREAKING : ADDITIONS,
    UPDATE,
  ].join("\n");
}

export const IF_BREAKING =
  'Something that users rely on is gone or different. Keep the old one beside the new one, or convert it (a migration for settings of nodes). If it has to go, this is a breaking change: the next major version (before 1.0.0 the next minor one), and a line under "Breaking" in CHANGELOG.md that says what to do.';
const ADDITIONS = "Additions only: the next minor version, and a line in CHANGELOG.md.";
export const UPDATE =
  'Then run "npm run api:update" and commit the report. docs/compatibility.md has the rules.';

function line({ key, before, after, isBreaking }: Difference) {
  const [sign, what, value] =
    before === undefined
      ? ["+", "added", after]
      : after === undefined
        ? ["-", "removed", before]
        : ["~", "changed", `${before || "nothing"} → ${after || "nothing"}`];
  const start = `  ${sign} ${isBreaking ? "BREAKING" : "fine    "}  ${what}: ${key}`;
  return value ? `${start}: ${value}` : start;
}
