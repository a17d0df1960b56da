import { execFile, execFileSync } from "node:child_process";
import { text as textOf } from "node:stream/consumers";
import { HOW_TO_GET_OPENMETRICS, openMetricsPython } from "../../scripts/lib/engines.mjs";
import { isInstalled } from "./installed.ts";

export type ParsedSample = { name: string; labels: Record<string, string>; value: number };
export type ParsedFamily = {
  name: string;
  type: string;
  unit: string;
  help: string;
  samples: ParsedSample[];
};

const READ = {
  openmetrics: "prometheus_client.openmetrics.parser",
  prometheus: "prometheus_client.parser",
} as const;
const program = (module: string) => `
import io, json, sys
from ${module} import text_fd_to_metric_families as read
text = sys.stdin.buffer.read().decode("utf-8", "strict")
json.dump([{ "name": f.name, "type": f.type, "unit": f.unit, "help": f.documentation,
  "samples": [{ "name": s.name, "labels": s.labels, "value": str(s.value) } for s in f.samples] }
  for f in read(io.StringIO(text, newline="\\n"))], sys.stdout)
`;

let python: string | undefined;

/** Whether there is the parser of Prometheus' own client for Python: see `isInstalled`. */
export function hasParser(): boolean {
  python ??= openMetricsPython();
  return isInstalled("prometheus-client", python, HOW_TO_GET_OPENMETRICS);
}

/** @throws when the text is not as the standard says. The parser of OpenMetrics is strict. */
export function parsed(text: string, format: keyof typeof READ): ParsedFamily[] {
  const options = { input: text, encoding: "utf8", stdio: "pipe", maxBuffer: 2 ** 28 } as const;
  return familiesOf(execFileSync(python ?? "", ["-c", program(READ[format])], options));
}

/**
 * The same for what a server answered. Meanwhile the server may close its sockets, which `fetch` would use once more if
 * this process did not see it.
 */
export async function parsedBeside(text: string, format: keyof typeof READ): Promise<ParsedFamily[]> {
  const parser = execFile(python ?? "", ["-c", program(READ[format])]);
  parser.stdin?.end(text);
  const [said, errors] = await Promise.all([parser.stdout, parser.stderr].map((one) => one && textOf(one)));
  if (!said) throw new Error(`The parser refused the text: ${errors}`);
  return familiesOf(said);
}

function familiesOf(json: string): ParsedFamily[] {
  const families = JSON.parse(json) as ParsedFamily[];
  // As text, since JSON has no infinite numbers.
  const numberOf = (value: unknown) => Number(String(value).replace("inf", "Infinity"));
  return families.map((family) => ({
    ...family,
    samples: family.samples.map((sample) => ({ ...sample, value: numberOf(sample.value) })),
  }));
}
