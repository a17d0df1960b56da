/** docs/benchmarks.md: the last results of each benchmark, each with what they were measured on. */
import type { Measured } from "./measured.ts";

export type Results = {
  name: string;
  about: string;
  date: string;
  /** Lines: processors, memory and system, then versions. */
  machine: string;
  parts: ReadonlyArray<{ title: string; measured: readonly Measured[] }>;
};

/** A section whose heading is one word in lower case holds results. They are in the order of their names. */
const OF_RESULTS = /^## ([a-z-]+)$/;

/**
 * The page with these results in place of the earlier ones of the same benchmark.
 *
 * @param page the text of the page: first how to read it, then a section for each benchmark
 */
export function withResults(page: string, results: Results): string {
  const sections = page.replaceAll("\r\n", "\n").split(/^(?=## )/m);
  const own = `## ${results.name}\n`;
  const kept = sections.filter((section) => !section.startsWith(own));
  const next = kept.findIndex((section) => {
    const name = OF_RESULTS.exec(section.split("\n", 1)[0] ?? "")?.[1];
    return name !== undefined && name > results.name;
  });
  const at = next === -1 ? kept.length : next;
  return `${[...kept.slice(0, at), sectionOf(results), ...kept.slice(at)].map((one) => one.trimEnd()).join("\n\n")}\n`;
}

function sectionOf({ name, about, date, machine, parts }: Results): string {
  const tables = parts.map(({ title, measured }) => {
    const rows = measured.map(({ what, value }) => `| ${cell(what)} | ${cell(value)} |`);
    return [`### ${cell(title)}`, ["| | |", "| --- | --- |", ...rows].join("\n")].join("\n\n");
  });
  const measuredOn = `Measured ${date} on ${machine.split("\n").join(". ")}.`;
  return [`## ${name}`, `${about.replace(/^./, (c) => c.toUpperCase())}.`, measuredOn, ...tables].join(
    "\n\n",
  );
}

const cell = (text: string) => text.trim().replaceAll("|", "\\|").replaceAll("\n", " ");
