import { ADDRESS } from "../common/shared/field-checks.ts";
import { signersIn } from "../common/shared/signers.ts";
import type { FamilyDef } from "../common/shared/stored-values.ts";
import { isReference } from "../common/shared/variables.ts";

/** Whether a text holds addresses, with commas, spaces or new lines between them. */
export function areSigners(text: string): boolean {
  const addresses = signersIn(text);
  return addresses.length > 0 && addresses.every((address) => ADDRESS.test(address));
}

/** Whether a text is a number of signatures. */
export function isThreshold(text: string): boolean {
  return /^[1-9]\d*$/.test(text);
}

/** A warning of the form: a key of its catalog, and the values in the text. */
type Warning = { key: string; values: Record<string, string | number> };

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

/** The first thing that is wrong with the signer set of a family in the form; `orgId` is the connection's. */
export function signerSetProblem(
  set: FamilyDef,
  { families, orgId }: { families: readonly FamilyDef[]; orgId: string },
): Warning | undefined {
  const [family, signers, threshold] = [
    textOf(set.family),
    textOf(set.validSigners),
    textOf(set.minRequiredSignatures),
  ];
  const wrong = (key: string): Warning => ({ key, values: { family } });
  if (family === "") return wrong("connection.family.error.name");
  if (families.filter((other) => textOf(other.family) === family).length > 1) {
    return wrong("connection.family.error.twice");
  }
  if (!isReference(signers) && !areSigners(signers)) return wrong("connection.family.error.signers");
  if (!isReference(threshold) && !isThreshold(threshold)) return wrong("connection.family.error.threshold");
  const unreachable = thresholdWarnings(signers, threshold).find(({ key }) => key.endsWith(".unreachable"));
  if (unreachable) return unreachable;
  const hasOrganization = orgId !== "" || textOf(set.orgId) !== "";
  return textOf(set.creTenantId) === "" || hasOrganization
    ? undefined
    : wrong("connection.family.error.organization");
}

function textOf(value: unknown): string {
  return String(value ?? "").trim();
}
