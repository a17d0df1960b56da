import type { Format } from "./text.ts";

const OPEN_METRICS = "application/openmetrics-text";
const CLASSIC = ["text/plain", "text/*", "*/*"];

/**
 * The format that a request asks for: OpenMetrics where its `Accept` names it and prefers nothing else, otherwise the
 * classic one, which every tool reads.
 */
export function formatFor(accept: string | undefined): Format {
  const ranges = (accept ?? "").split(",").map(rangeOf);
  const weightOf = (types: readonly string[]) =>
    Math.max(0, ...ranges.filter(({ type }) => types.includes(type)).map(({ weight }) => weight));
  const wanted = weightOf([OPEN_METRICS]);
  return wanted > 0 && wanted >= weightOf(CLASSIC) ? "openmetrics" : "prometheus";
}

function rangeOf(text: string): { type: string; weight: number } {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith("q="));
  const weight = quality === undefined ? 1 : Number(quality.slice("q=".length));
  return { type, weight: Number.isFinite(weight) ? weight : 0 };
}
