import type { EditedNode } from "../common/editor/api.ts";
import { inputOf } from "../common/editor/form-fields.ts";
import { hintUnder } from "../common/editor/form-rows.ts";
import { durationWords } from "../common/shared/duration-words.ts";
import { longestSigning } from "../common/shared/signer-kinds.ts";

/** Says under the deadline that the wallet's signer may take longer. A draft is signed elsewhere. */
export function explainSignerTime(node: EditedNode): void {
  const [wallet, mode, deadline] = [inputOf("wallet"), inputOf("mode"), inputOf("deadline")];
  const hint = hintUnder(deadline);
  const explain = (): void => {
    const chosen = RED.nodes.node(String(wallet.val() ?? ""));
    const signer = chosen && RED.nodes.node(String(chosen.signer ?? ""));
    const seconds = signer ? longestSigning({ kind: signer.kind, timeout: signer.timeout }) : 0;
    // Zero means no deadline. The field itself marks a text that is not a number.
    const limit = Number(deadline.val()) * 60;
    const isLonger = mode.val() !== "draft" && limit > 0 && seconds > limit;
    const words = (count: number) => durationWords((key, values) => node._(key, values), count);
    const values = { signer: words(seconds), deadline: words(limit) };
    hint.say(isLonger ? node._("submit-operation.hint.signer-longer", values) : "");
  };
  wallet.add(mode).add(deadline).on("change input", explain);
  explain();
}
