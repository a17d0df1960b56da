import { ADDRESS } from "../lib/shared/address.ts";
import type { FamilyDef } from "../lib/shared/form-types.ts";
import { isReference } from "../lib/shared/variables.ts";
import { signersIn } from "../lib/shared/verification-set-up.ts";
import { thresholdWarnings, type Warning } from "./threshold.ts";

/** What is wrong with the set of a family, beside the others of the form; the set of the connection has `orgId`. */
export function familyProblem(
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
  const addresses = signersIn(signers);
  const isRight = addresses.length > 0 && addresses.every((one) => ADDRESS.test(one));
  if (!isReference(signers) && !isRight) return wrong("connection.family.error.signers");
  if (!isReference(threshold) && !/^[1-9]\d*$/.test(threshold)) {
    return wrong("connection.family.error.threshold");
  }
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
