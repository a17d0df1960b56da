import type { NodeAPI } from "node-red";
import { answerForms, fieldsOf, invalidRequest, textIn } from "../admin/answer.ts";
import { processWide } from "../process-wide.ts";
import { type CodedError, nodeError } from "../shared/errors.ts";
import { RingBuffer } from "../telemetry/ring-buffer.ts";
import type { Approval, Decided, Decision, DraftReport } from "./types.ts";

export type OpenDraft = {
  report: DraftReport;
  approvals: readonly Approval[];
  decide: (decision: Decision) => Promise<Decided>;
};

const MOST = 10_000;
/** Names a draft in this process. */
export const draftKey = (channelId: string, operationId: string): string => `${channelId}/${operationId}`;
/** The drafts that wait in this process for people. What survives a restart is in the waits of their nodes. */
export const openDrafts = processWide(
  "open-drafts",
  () => new RingBuffer<OpenDraft>({ keyOf: ({ report }) => report.key, most: MOST }),
);

/** `madeAt` in Unix milliseconds. */
type NewestDraft = { channelId: string; operationId: string; madeAt: number };

/** By the node that made it: the newest draft. */
export const newestDrafts = processWide("newest-drafts", () => new Map<string, NewestDraft>());

type Settings = NodeAPI["settings"] & { adminAuth?: unknown; crec?: { approveWithoutLogin?: unknown } };

/** Those of before a restart come back in any order. */
export function noteDraft(node: string, draft: NewestDraft): void {
  if ((newestDrafts.get(node)?.madeAt ?? 0) <= draft.madeAt) newestDrafts.set(node, draft);
}

/** Whether nobody may decide in the sidebar: anyone who opens the editor could. */
export function isApprovalOff(RED: NodeAPI): boolean {
  return !(RED.settings as Settings).adminAuth && !isAllowedToAll(RED);
}

function isAllowedToAll(RED: NodeAPI): boolean {
  return (RED.settings as Settings).crec?.approveWithoutLogin === true;
}

/** `POST /crec/operation/decide` `{ key, digest, isApproved }` approves or declines a draft as it was shown. */
export function registerDecisions(RED: NodeAPI): void {
  answerForms(RED, "post", "/crec/operation/decide", "crec.write", async ({ body, user }) => {
    const { key, digest, isApproved } = fieldsOf(body);
    if (typeof isApproved !== "boolean" || textIn(key) === "" || textIn(digest) === "")
      return invalidRequest("Send the key and the digest of a draft, and isApproved as true or false.");
    if (user === undefined && !isAllowedToAll(RED))
      throw refused(
        "without a login to the editor, anyone could approve. Set adminAuth in settings.js, or crec.approveWithoutLogin to true",
      );
    const open = openDrafts.get(textIn(key));
    if (!open)
      throw refused(
        "it does not wait here any more. It was decided, has expired, or its node was deleted or disabled",
      );
    return open.decide({ digest: textIn(digest), isApproved, by: user });
  });
}

/** @param why goes on after `Not decided: ` */
export function refused(why: string): CodedError {
  return nodeError("APPROVAL_REFUSED", `Not decided: ${why}. Nothing was signed or cancelled.`);
}
