import type { FamilyDef } from "../common/shared/form-types.ts";
import { isReference } from "../common/shared/variables.ts";
import { areSigners, isThreshold } from "./signer-set.ts";
import { thresholdWarnings, type Warning } from "./threshold.ts";

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
