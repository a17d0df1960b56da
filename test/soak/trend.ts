/** A sample of something, at a time in minutes. */
export type Sample = { at: number; value: number };

/** How much a straight line through the samples, by least squares, rises from the first to the last. */
export function rise(samples: readonly Sample[]): number {
  const count = samples.length;
  const meanOf = (pick: (sample: Sample) => number) =>
    samples.reduce((sum, one) => sum + pick(one), 0) / count;
  const [at, value] = [meanOf((one) => one.at), meanOf((one) => one.value)];
  const spread = samples.reduce((sum, one) => sum + (one.at - at) ** 2, 0);
  const together = samples.reduce((sum, one) => sum + (one.at - at) * (one.value - value), 0);
  const [first, last] = [samples[0], samples.at(-1)];
  return spread === 0 || !first || !last ? 0 : (together / spread) * (last.at - first.at);
}
