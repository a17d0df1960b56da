import type { ChannelEvent, FollowOptions, RequestedOperation, VerifyResult } from "../../../src/index.ts";
import type { Translate } from "../context.ts";
import type { Connection } from "../fields/config-nodes.ts";
import { nodeError } from "../shared/errors.ts";
import { isVerificationUntouched } from "../shared/signers.ts";
import { type StatusText, statusText } from "../status/status.ts";
import { serviceStatus, statusWord } from "./service-words.ts";

/** Verifies the statuses of an operation. Undefined where the connection has no verification settings. */
export type ProofCheck = (
  about: RequestedOperation,
  channelId: string,
) => NonNullable<FollowOptions["verify"]>;

/** The verification result of a status that was not checked. */
export type Unproven = { verified: false; reason: "unproven"; message: string };

const UNPROVEN: Unproven = {
  verified: false,
  reason: "unproven",
  message:
    "The connection has no verification settings, so this status is not verified. Fill in organization, signers and threshold in the connection.",
};

/**
 * Checks the verification settings before anything is signed: with wrong settings, no status would ever count.
 * @throws CONNECTION_INCOMPLETE
 */
export async function proofCheckOf(connection: Connection): Promise<ProofCheck | undefined> {
  if (isVerificationUntouched(connection.verification)) return undefined;
  const verifier = await connection.verifier();
  // The settings are checked before the event.
  const result = await verifier.verify({} as ChannelEvent);
  if (!result.verified && result.reason === "not_configured") {
    throw nodeError(
      "CONNECTION_INCOMPLETE",
      `${result.message} Open the connection and correct it; nothing was sent.`,
    );
  }
  return (operation, channelId) => (event) => verifier.verify(event, { channelId, operation });
}

/** The service's id of an operation is not signed. Without the wallet's id there is nothing to compare. */
export const UNBOUND: Unproven = {
  verified: false,
  reason: "unproven",
  message:
    "The proof is valid, but the message does not say which operation was signed, so it is not verified that the status is about this one. Keep msg.crec.walletOperationId, as submit operation sets it.",
};

/** The verification result of a status, for `msg.crec.verification`. */
export function verificationOf(checked: VerifyResult | Unproven | undefined): VerifyResult | Unproven {
  return checked ?? UNPROVEN;
}

/** The status under a node. One that needs a proof and was not checked is shown as unproven. */
export function shownStatus(
  t: Translate,
  status: string,
  checked: VerifyResult | Unproven | undefined,
): StatusText {
  const result = verificationOf(checked);
  const isUnproven = !result.verified && result.reason === "unproven";
  return isUnproven && status.startsWith("confirmed")
    ? statusText(t, "common.status.unproven", { status: statusWord(t, status) })
    : serviceStatus(t, status);
}
