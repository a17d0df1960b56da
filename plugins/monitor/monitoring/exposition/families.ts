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
