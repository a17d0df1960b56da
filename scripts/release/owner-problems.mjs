// @ts-check
// Whether the owner has filled in release/owner.json.

/** @typedef {import("../lib/owner.mjs").Owner} Owner */
/** @typedef {{ field: string, isUnset: boolean, sentence: string }} OwnerProblem */

const ADDRESS = /^https:\/\/[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]\S*)?$/;
const MAIL = /^[^\s@<>]+@[\w-]+(?:\.[\w-]+)+$/;
/** What the examples here and in other manuals have for a name. */
const PLACEHOLDER = /\bexample\.(?:com|org|net)\b|github\.com\/owner\/name\b|<\w+>$/;

/**
 * Each field, what it looks like, and how to fill it in.
 *
 * @type {ReadonlyArray<{ field: keyof Owner, isRight: (value: string) => boolean, how: string }>}
 */
const FIELDS = [
  {
    field: "repository",
    isRight: (value) => /^https:\/\/github\.com\/[\w-]+\/[\w.-]+$/.test(value) && !value.endsWith(".git"),
    how: "the address of the repository on GitHub, such as https://github.com/owner/name, without .git and without a slash at the end",
  },
  {
    field: "author",
    isRight: (value) =>
      /^[^\s<>()@][^<>()@]*?(?: <[^\s@<>]+@[\w-]+(?:\.[\w-]+)+>)?(?: \(https:\/\/\S+\))?$/.test(value),
    how: "the author as npm shows it: a name, with or without an address, such as Name <name@example.com>",
  },
  {
    field: "homepage",
    isRight: (value) => ADDRESS.test(value),
    how: "the https address where the guides are published, or that of the repository with #readme at the end",
  },
  {
    field: "securityContact",
    isRight: (value) => MAIL.test(value) || ADDRESS.test(value),
    how: "a mail address or the https address of a page, for reports of security problems",
  },
  {
    field: "conductContact",
    isRight: (value) => MAIL.test(value) || ADDRESS.test(value),
    how: "a mail address or the https address of a page, for reports about conduct",
  },
];

/**
 * @param {unknown} owner what is in the file
 * @returns {OwnerProblem[]} what is unset or malformed
 */
export function ownerProblems(owner) {
  if (typeof owner !== "object" || owner === null || Array.isArray(owner)) {
    return [{ field: "", isUnset: false, sentence: "release/owner.json: write an object in braces." }];
  }
  const given = /** @type {Record<string, unknown>} */ (owner);
  const known = FIELDS.flatMap(({ field, isRight, how }) => {
    const value = given[field] ?? "";
    if (value === "") return [problem(field, true, `is not filled in. Write ${how}.`)];
    if (typeof value !== "string")
      return [problem(field, false, `is not a text. Write ${how}, in quotation marks.`)];
    if (PLACEHOLDER.test(value)) return [problem(field, false, `is the example "${value}". Write ${how}.`)];
    return isRight(value) ? [] : [problem(field, false, `cannot be "${value}". Write ${how}.`)];
  });
  const names = FIELDS.map(({ field }) => String(field));
  const others = Object.keys(given).filter((field) => !names.includes(field));
  return [
    ...known,
    ...others.map((field) =>
      problem(field, false, `is not known. Remove it; the fields are ${names.join(", ")}.`),
    ),
  ];
}

/**
 * @param {string} field
 * @param {boolean} isUnset
 * @param {string} rest
 * @returns {OwnerProblem}
 */
function problem(field, isUnset, rest) {
  return { field, isUnset, sentence: `release/owner.json: "${field}" ${rest}` };
}
