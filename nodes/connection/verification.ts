import type { VerifyConfig } from "../../src/index.ts";
import { signersIn } from "../common/shared/verification-set-up.ts";
import { familySets } from "./families.ts";
import type { ConnectionDef } from "./fields.ts";

/** What the proofs of a connection's service are checked against. */
export function verificationOf(def: ConnectionDef): VerifyConfig {
  return {
    orgId: def.orgId?.trim() || null,
    workflowOwner: def.workflowOwner?.trim() || null,
    creTenantId: def.creTenantId?.trim() || null,
    validSigners: signersIn(def.validSigners),
    minRequiredSignatures: Number(def.minRequiredSignatures || 0),
    families: familySets(def.families),
  };
}
