// The settings of a verifier may come from variables that are not set: they compile, and without them it refuses each event. Lint
// compiles this file, and complains of a directive that is not needed: each stands above a mistake. Nothing runs it.
import { createVerifier, type SignerSet, type VerifyConfig } from "../../../src/index.ts";

const { ORG_ID, OWNER, TENANT, CHANNEL } = process.env;
const signers = { validSigners: [], minRequiredSignatures: 1 };

const set: SignerSet = { ...signers, orgId: ORG_ID, workflowOwner: OWNER, creTenantId: TENANT };
const config: VerifyConfig = { ...set, channelId: CHANNEL, families: { other: set } };
export const verifier = createVerifier({ ...signers, orgId: ORG_ID, creTenantId: TENANT });
export const byOwner = createVerifier({ ...signers, workflowOwner: OWNER, families: undefined });
createVerifier(config).verifyAll([], {
  orgId: ORG_ID,
  workflowOwner: OWNER,
  channelId: CHANNEL,
  operation: undefined,
});
// @ts-expect-error
createVerifier({ ...signers, validSigners: undefined });
// @ts-expect-error
createVerifier({ ...signers, orgid: ORG_ID });
