/** A warning of the form: a key of its catalog, and the values in the text. */
export type Warning = { key: string; values: Record<string, string | number> };

/**
 * Warnings about signers and threshold in the form. Values from the environment are not known here, so they have no
 * warnings.
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
  const required = Number(threshold);
  if (count === 0 || threshold.includes("${") || !(required >= 1)) return warnings;
  // A network of 3F+1 oracles tolerates F faulty ones. Exactly F+1 of them sign a report.
  const usual = Math.floor((count - 1) / 3) + 1;
  const values = { threshold: required, count, usual };
  if (required > count) return [{ key: "connection.threshold.unreachable", values }, ...warnings];
  if (required > usual) return [{ key: "connection.threshold.above-usual", values }, ...warnings];
  return warnings;
}
