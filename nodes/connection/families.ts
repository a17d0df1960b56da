import type { SignerSet } from "../../src/index.ts";
import { type CodedError, nodeError } from "../common/shared/errors.ts";
import { signersIn } from "../common/shared/signers.ts";
import type { FamilyDef } from "../common/shared/stored-values.ts";

/** The signer sets by the names of their families. */
export function familySets(families: readonly FamilyDef[] | undefined): Record<string, SignerSet> {
  return Object.fromEntries(
    (families ?? []).map((row) => [
      nameOf(row),
      {
        validSigners: signersIn(row.validSigners),
        minRequiredSignatures: Number(row.minRequiredSignatures || 0),
        orgId: row.orgId?.trim() || null,
        creTenantId: row.creTenantId?.trim() || null,
      },
    ]),
  );
}

/** A set without a family, or two sets for one family: then it is not clear which set to use. */
export function familyNameProblem(families: readonly FamilyDef[] | undefined): CodedError | undefined {
  const names = (families ?? []).map(nameOf);
  if (names.includes("")) {
    return nodeError(
      "CONNECTION_INCOMPLETE",
      "A signer set of the connection has no oracle family. Open the connection, and fill in the family or remove the set.",
    );
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return undefined;
  return nodeError(
    "CONNECTION_INCOMPLETE",
    `The connection has two signer sets for the oracle family "${twice}". Open the connection and remove one.`,
  );
}

function nameOf({ family }: FamilyDef): string {
  return String(family ?? "").trim();
}
