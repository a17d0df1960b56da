import { isVerificationUntouched, signersIn } from "../shared/signers.ts";
import type { EditedNode } from "./api.ts";
import { hintUnder, inputOf } from "./form-rows.ts";

/** Explains under "Wait until" that confirmations stay unproven where the channel's connection has no verification settings. */
export function explainUnproven(node: EditedNode): void {
  const hint = hintUnder(inputOf("waitFor"));
  const explain = (): void => {
    const channel = RED.nodes.node(String(inputOf("channel").val() ?? ""));
    const connection = channel && RED.nodes.node(String(channel.connection ?? ""));
    const signers = signersIn(connection?.validSigners);
    const isUntouched = connection && isVerificationUntouched({ ...connection, validSigners: signers });
    hint.say(isUntouched ? node._("common.unproven") : "");
  };
  inputOf("channel").add(inputOf("waitFor")).on("change", explain);
  explain();
}
