import type { NodeAPI } from "node-red";
import { answerForms, fieldsOf, invalidRequest, textIn } from "../admin/answer.ts";
import { type CodedError, nodeError } from "../shared/errors.ts";
import { openDrafts } from "./open-drafts.ts";

type Settings = NodeAPI["settings"] & { adminAuth?: unknown; crec?: { approveWithoutLogin?: unknown } };

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
