import { postJson, requestFailure } from "../common/editor/admin-requests.ts";
import type { ConfigNode } from "../common/editor/api.ts";
import type { WalletAnswers, WalletQuestion } from "../common/shared/form-types.ts";
import { shortKey } from "./editor-key.ts";
import type { Checks } from "./editor-lines.ts";

const STATES = { allowed: "ok", refused: "problem", unknown: "unchecked" } as const;

/** Whether the wallets of the flow that use this signer name its key among their signers. */
export async function walletCheck({ node, view, begin }: Checks): Promise<void> {
  const lines = begin();
  const key = view.read();
  if (shortKey(key) === "") return lines.add("unchecked", node._("signer.wallets.no-key"));
  const wallets = walletsOf(node.id);
  if (wallets.length === 0) return lines.add("unchecked", node._("signer.wallets.none"));
  lines.progress(node._("signer.wallets.running"));
  try {
    const answer = await postJson<WalletAnswers>("crec/signer/wallets", { key, wallets });
    lines.clear();
    if (answer.problem !== undefined) return lines.add("problem", answer.problem);
    for (const { id, state, why = "" } of answer.wallets) {
      const wallet = wallets.find((one) => one.id === id)?.name ?? id;
      lines.add(STATES[state], node._(`signer.wallets.${state}`, { wallet, why }));
    }
  } catch (failure) {
    lines.clear();
    lines.add("problem", requestFailure(node, failure, "crec.read"));
  }
}

function walletsOf(signer: string): WalletQuestion[] {
  const found: ConfigNode[] = [];
  RED.nodes.eachConfig((one) => {
    if (one.type === "crec-wallet" && one.signer === signer) found.push(one);
  });
  return found.map((one) => {
    const wallet = String(one.wallet ?? "");
    return { id: one.id, name: one.name || wallet, connection: String(one.connection ?? ""), wallet };
  });
}
