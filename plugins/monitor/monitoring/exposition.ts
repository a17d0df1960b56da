/** The values of labels, by their names. */
export type Labels = Readonly<Record<string, string>>;

type Sample = { suffix: string; labels: Labels; value: number };

/** A metric with all its labels, without the suffix that its kind adds. */
export type Family = {
  name: string;
  kind: "counter" | "gauge" | "histogram" | "info";
  help: string;
  /** Of a name that ends in it. */
  unit?: "seconds";
  samples(): Sample[];
};

type About = Pick<Family, "name" | "help" | "unit">;

/** Counts up. Its sample has the suffix `_total`. */
export class Counter implements Family {
  readonly kind = "counter";
  readonly name: string;
  readonly help: string;
  readonly #series = new Map<string, { labels: Labels; value: number }>();

  constructor({ name, help }: About) {
    this.name = name;
    this.help = help;
  }

  /** With 0, it makes the series: Prometheus does not count the step from a missing series to 1 as an increase. */
  add(labels: Labels, amount = 1): void {
    const series = seriesOf(this.#series, labels, () => ({ labels, value: 0 }));
    series.value += amount;
  }

  samples(): Sample[] {
    return [...this.#series.values()].map((series) => ({ suffix: "_total", ...series }));
  }
}

/** Durations in seconds, counted in buckets. */
export class Histogram implements Family {
  readonly kind = "histogram";
  readonly unit = "seconds";
  readonly name: string;
  readonly help: string;
  readonly #buckets: readonly number[];
  readonly #series = new Map<string, { labels: Labels; counts: number[]; sum: number; count: number }>();

  /** `buckets`: their upper bounds in seconds, in ascending order. */
  constructor({ name, help }: About, buckets: readonly number[]) {
    this.name = name;
    this.help = help;
    this.#buckets = buckets;
  }

  observe(labels: Labels, seconds: number): void {
    // A clock that is set back makes a time negative, and the sum of a histogram must not fall.
    const value = Math.max(0, seconds);
    if (!Number.isFinite(value)) return;
    const series = seriesOf(this.#series, labels, () => ({
      ...{ labels, sum: 0, count: 0 },
      counts: this.#buckets.map(() => 0),
    }));
    series.sum += value;
    series.count += 1;
    const bucket = this.#buckets.findIndex((bound) => value <= bound);
    if (bucket !== -1) series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
  }

  samples(): Sample[] {
    return [...this.#series.values()].flatMap(({ labels, counts, sum, count }) => {
      let below = 0;
      const buckets = this.#buckets.map((bound, index) => {
        below += counts[index] ?? 0;
        return { suffix: "_bucket", labels: { ...labels, le: canonical(bound) }, value: below };
      });
      return [
        ...buckets,
        { suffix: "_bucket", labels: { ...labels, le: "+Inf" }, value: count },
        { suffix: "_sum", labels, value: sum },
        { suffix: "_count", labels, value: count },
      ];
    });
  }
}

/** Values as they are when they are asked for. Of several with the same labels, `merge` makes one. */
export function gauge(
  about: About,
  values: () => Iterable<readonly [Labels, number]>,
  merge: (one: number, other: number) => number = (one, other) => one + other,
): Family {
  const samples = () => {
    const series = new Map<string, Sample>();
    for (const [labels, value] of values()) {
      const key = keyOf(labels);
      const known = series.get(key);
      series.set(key, { suffix: "", labels, value: known ? merge(known.value, value) : value });
    }
    return [...series.values()];
  };
  return { kind: "gauge", ...about, samples };
}

/** What never changes, as labels of the value 1. */
export function info({ name, help }: About, labels: Labels): Family {
  return { kind: "info", name, help, samples: () => [{ suffix: "_info", labels, value: 1 }] };
}

/** As OpenMetrics writes the bounds of buckets: both formats must have the same, or they would be two series. */
function canonical(bound: number): string {
  return Number.isInteger(bound) ? `${bound}.0` : String(bound);
}

function seriesOf<T>(all: Map<string, T>, labels: Labels, make: () => T): T {
  const key = keyOf(labels);
  const known = all.get(key);
  if (known !== undefined) return known;
  const made = make();
  all.set(key, made);
  return made;
}

/** A metric gives its labels always in the same order. */
function keyOf(labels: Labels): string {
  return JSON.stringify(Object.values(labels));
}

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
