// Whether the owner has filled in release/owner.json.
import type { Owner } from "../lib/owner.mjs";

type OwnerProblem = { field: string; isUnset: boolean; sentence: string };

const ADDRESS = /^https:\/\/[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]\S*)?$/;
const MAIL_OR_ADDRESS = new RegExp(`^[^\\s@<>]+@[\\w-]+(?:\\.[\\w-]+)+$|${ADDRESS.source}`);
/** What the examples here and in other manuals have for a name. */
const PLACEHOLDER = /\bexample\.(?:com|org|net)\b|github\.com\/owner\/name\b|<\w+>$/;

/** Each field, what it looks like, and how to fill it in. */
const FIELDS: Readonly<Record<keyof Owner, [right: RegExp, how: string]>> = {
  repository: [
    /^https:\/\/github\.com\/[\w-]+\/(?!\S*\.git$)[\w.-]+$/,
    "the address of the repository on GitHub, such as https://github.com/owner/name, without .git and without a slash at the end",
  ],
  author: [
    /^[^\s<>()@][^<>()@]*?(?: <[^\s@<>]+@[\w-]+(?:\.[\w-]+)+>)?(?: \(https:\/\/\S+\))?$/,
    "the author as npm shows it: a name, with or without an address, such as Name <name@example.com>",
  ],
  homepage: [
    ADDRESS,
    "the https address where the guides are published, or that of the repository with #readme at the end",
  ],
  securityContact: [
    MAIL_OR_ADDRESS,
    "a mail address or the https address of a page, for reports of security problems",
  ],
  conductContact: [
    MAIL_OR_ADDRESS,
    "a mail address or the https address of a page, for reports about conduct",
  ],
};

/** @param owner what is in the file. @returns what is unset or malformed */
export function ownerProblems(owner: unknown): OwnerProblem[] {
  if (typeof owner !== "object" || owner === null || Array.isArray(owner))
    return [{ field: "", isUnset: false, sentence: "release/owner.json: write an object in braces." }];
  const given = owner as Record<string, unknown>;
  const names = Object.keys(FIELDS);
  const others = Object.keys(given).filter((field) => !names.includes(field));
  const found = [
    ...Object.entries(FIELDS).map(([field, [right, how]]) => ({
      field,
      why: wrongIn(given[field] ?? "", right, how),
    })),
    ...others.map((field) => ({
      field,
      why: `is not known. Remove it; the fields are ${names.join(", ")}.`,
    })),
  ];
  return found.flatMap(({ field, why }) => {
    const isUnset = (given[field] ?? "") === "";
    return why === "" ? [] : [{ field, isUnset, sentence: `release/owner.json: "${field}" ${why}` }];
  });
}

function wrongIn(value: unknown, right: RegExp, how: string): string {
  if (value === "") return `is not filled in. Write ${how}.`;
  if (typeof value !== "string") return `is not a text. Write ${how}, in quotation marks.`;
  if (PLACEHOLDER.test(value)) return `is the example "${value}". Write ${how}.`;
  return right.test(value) ? "" : `cannot be "${value}". Write ${how}.`;
}
