import type { NodeAPI } from "node-red";
import type { ChannelEvent, FollowOptions, RequestedOperation, VerifyResult } from "../../../src/index.ts";
import { nodeError } from "../shared/errors.ts";
import { isVerificationUntouched } from "../shared/verification-set-up.ts";
import type { Connection } from "./config-nodes.ts";

/** How the statuses of an operation are judged; undefined where the connection has no verification settings. */
export type ProofCheck = (
  about: RequestedOperation,
  channelId: string,
) => NonNullable<FollowOptions["verify"]>;

/** What a message says of a status that nothing was checked of. */
export type Unproven = { verified: false; reason: "unproven"; message: string };

const UNPROVEN: Unproven = {
  verified: false,
  reason: "unproven",
  message:
    "The connection has no verification settings, so this status is the service's word alone. Fill in organization, signers and threshold in the connection to have it checked.",
};

/**
 * Checked before anything is signed: with settings that cannot work, no status would ever count.
 * @throws CONNECTION_INCOMPLETE
 */
export async function proofCheckOf(connection: Connection): Promise<ProofCheck | undefined> {
  if (isVerificationUntouched(connection.verification)) return undefined;
  const verifier = await connection.verifier();
  // The settings are judged before the event.
  const tried = await verifier.verify({} as ChannelEvent);
  if (!tried.verified && tried.reason === "not_configured") {
    throw nodeError(
      "CONNECTION_INCOMPLETE",
      `${tried.message} Open the connection and correct it; nothing was sent.`,
    );
  }
  return (operation, channelId) => (event) => verifier.verify(event, { channelId, operation });
}

/** A proof does not name the service's own id of an operation, so without the wallet's there is nothing to compare. */
export const UNBOUND: Unproven = {
  verified: false,
  reason: "unproven",
  message:
    "The proof holds, but the message does not say which operation was signed, so it is the service's word that this is the one. Keep msg.crec.walletOperationId, as submit operation gives it.",
};

/** What is known of a status, for `msg.crec.verification`. */
export function verificationOf(checked: VerifyResult | Unproven | undefined): VerifyResult | Unproven {
  return checked ?? UNPROVEN;
}

/** How a node shows a status: one that needs a proof and was not checked says so. */
export function shownStatus(
  RED: NodeAPI,
  status: string,
  checked: VerifyResult | Unproven | undefined,
): string {
  const judged = verificationOf(checked);
  const isUnproven = !judged.verified && judged.reason === "unproven";
  return isUnproven && status.startsWith("confirmed") ? RED._("common.status.unproven", { status }) : status;
}
