// docs/glossary.md in parts: so that the help of each form can explain the words that it uses.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { withWebLinks } from "../packing/links.ts";
import { readOwner } from "./owner.mjs";
import { root } from "./paths.mjs";
import { readJson } from "./read-json.mjs";

type Entry = { terms: string[]; meaning: string };

/** @returns every row of the tables, with links that lead somewhere from an editor */
export async function glossary(): Promise<Entry[]> {
  const text = await readFile(join(root, "docs/glossary.md"), "utf8");
  const { version } = await readJson(join(root, "package.json"));
  const page = withWebLinks(text, { owner: await readOwner(), version, folder: "docs" });
  return [...page.matchAll(/^\| (\*\*.+?) \| (.+) \|$/gm)].map(([, terms = "", meaning = ""]) => ({
    terms: [...terms.matchAll(/\*\*(.+?)\*\*/g)].map(([, term = ""]) => term),
    meaning,
  }));
}

/** The section of a help text that explains its words, in Markdown; empty if it uses none of them. */
export function glossarySection(help: string, entries: readonly Entry[]) {
  const used = entries.filter(({ terms }) => terms.some((term) => isUsed(term, help)));
  if (used.length === 0) return "";
  const lines = used.map(
    ({ terms, meaning }) => `- ${terms.map((term) => `**${term}**`).join(", ")}: ${meaning}`,
  );
  return `\n\n### Glossary\n\n${lines.join("\n")}\n`;
}

function isUsed(term: string, help: string) {
  return new RegExp(`\\b${term}s?\\b`, "i").test(help);
}
