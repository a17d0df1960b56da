/** A warning of the form, as a key of its catalog with what stands in it. */
export type Warning = { key: string; values: Record<string, string | number> };

/**
 * What is doubtful about signers and threshold as they stand in the form. What comes from the environment is not
 * known here, so it is not judged.
 */
export function thresholdWarnings(signers: string, threshold: string): Warning[] {
  if (signers.includes("${")) return [];
  const addresses: string[] = signers.toLowerCase().match(/0x[0-9a-f]{40}/g) ?? [];
  const count = new Set(addresses).size;
  const twice = [...new Set(addresses.filter((address, index) => addresses.indexOf(address) !== index))];
  const warnings: Warning[] = twice.map((address) => ({
    key: "connection.threshold.twice",
    values: { address },
  }));
  const wanted = Number(threshold);
  if (count === 0 || threshold.includes("${") || !(wanted >= 1)) return warnings;
  // A network of 3F+1 oracles bears F faulty ones, and F+1 of them sign a report: no more.
  const usual = Math.floor((count - 1) / 3) + 1;
  const values = { threshold: wanted, count, usual };
  if (wanted > count) return [{ key: "connection.threshold.unreachable", values }, ...warnings];
  if (wanted > usual) return [{ key: "connection.threshold.above-usual", values }, ...warnings];
  return warnings;
}
