import type { NodeAPI } from "node-red";
import type { ChannelEvent, FollowOptions, RequestedOperation, VerifyResult } from "../../../src/index.ts";
import { nodeError } from "../shared/errors.ts";
import { isVerificationUntouched } from "../shared/verification-set-up.ts";
import type { Connection } from "./config-nodes.ts";

/** Verifies the statuses of an operation; `undefined` where the connection has no verification settings. */
export type ProofCheck = (
  about: RequestedOperation,
  channelId: string,
) => NonNullable<FollowOptions["verify"]>;

/** The verification of a status that was not checked. */
export type Unproven = { verified: false; reason: "unproven"; message: string };

const UNPROVEN: Unproven = {
  verified: false,
  reason: "unproven",
  message:
    "The connection has no verification settings, so this status was not verified. Fill in organization, signers and threshold in the connection to verify it.",
};

/**
 * Checked before anything is signed: with wrong settings no status would ever count.
 * @throws CONNECTION_INCOMPLETE
 */
export async function proofCheckOf(connection: Connection): Promise<ProofCheck | undefined> {
  if (isVerificationUntouched(connection.verification)) return undefined;
  const verifier = await connection.verifier();
  // An empty event is enough: the settings are checked first.
  const tried = await verifier.verify({} as ChannelEvent);
  if (!tried.verified && tried.reason === "not_configured") {
    throw nodeError(
      "CONNECTION_INCOMPLETE",
      `${tried.message} Open the connection and correct it; nothing was sent.`,
    );
  }
  return (operation, channelId) => (event) => verifier.verify(event, { channelId, operation });
}

/** A proof names the wallet's id of an operation and not the service's, so without it there is nothing to compare. */
export const UNBOUND: Unproven = {
  verified: false,
  reason: "unproven",
  message:
    "The proof holds, but the message does not say which operation was signed, so only the service says that it belongs to this one. Keep msg.crec.walletOperationId, as submit operation sends it.",
};

/** The verification of a status for `msg.crec.verification`. */
export function verificationOf(checked: VerifyResult | Unproven | undefined): VerifyResult | Unproven {
  return checked ?? UNPROVEN;
}

/** The text of a node's status. A confirmation that was not checked is marked as unproven. */
export function shownStatus(
  RED: NodeAPI,
  status: string,
  checked: VerifyResult | Unproven | undefined,
): string {
  const judged = verificationOf(checked);
  const isUnproven = !judged.verified && judged.reason === "unproven";
  return isUnproven && status.startsWith("confirmed") ? RED._("common.status.unproven", { status }) : status;
}
