import type { Family, Labels } from "./families.ts";

/** The two text formats that Prometheus and others read. */
export type Format = "openmetrics" | "prometheus";

export const CONTENT_TYPES: Record<Format, string> = {
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
};

/** All families in one of the text formats. A family without samples is left out. */
export function textOf(families: readonly Family[], format: Format): string {
  const lines = families.flatMap((family) => linesOf(family, format));
  if (format === "openmetrics") lines.push("# EOF");
  return `${lines.join("\n")}\n`;
}

function linesOf(family: Family, format: Format): string[] {
  const samples = family.samples();
  if (samples.length === 0) return [];
  const { name, kind, help, unit } = family;
  const described = format === "openmetrics" ? name : classicName(family);
  return [
    `# TYPE ${described} ${format === "prometheus" && kind === "info" ? "gauge" : kind}`,
    ...(unit && format === "openmetrics" ? [`# UNIT ${described} ${unit}`] : []),
    `# HELP ${described} ${escaped(help, format === "openmetrics")}`,
    ...samples.map(({ suffix, labels, value }) => `${name}${suffix}${labelsOf(labels)} ${numberText(value)}`),
  ];
}

/** In the classic format, the suffix of a kind belongs to the name. */
function classicName({ name, kind }: Family): string {
  if (kind === "counter") return `${name}_total`;
  return kind === "info" ? `${name}_info` : name;
}

function labelsOf(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value, true)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(text: string, withQuotes: boolean): string {
  const lines = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return withQuotes ? lines.replaceAll('"', '\\"') : lines;
}

function numberText(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}
