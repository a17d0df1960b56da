import { isVerificationUntouched, signersIn } from "../shared/verification-set-up.ts";
import type { EditedNode } from "./api.ts";
import { hintUnder } from "./form-rows.ts";

/** Says under "Wait until" when no confirmation can be proven, since the channel's connection is not set up for it. */
export function sayUnproven(node: EditedNode): void {
  const hint = hintUnder($("#node-input-waitFor"));
  const look = (): void => {
    const channel = RED.nodes.node(String($("#node-input-channel").val() ?? ""));
    const connection = channel && RED.nodes.node(String(channel.connection ?? ""));
    const signers = signersIn(connection?.validSigners);
    const isUntouched = connection && isVerificationUntouched({ ...connection, validSigners: signers });
    hint.say(isUntouched ? node._("common.unproven") : "");
  };
  $("#node-input-channel, #node-input-waitFor").on("change", look);
  look();
}
