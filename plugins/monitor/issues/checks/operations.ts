import type { WalletNode, WalletRef } from "../../../../nodes/common/fields/config-nodes.ts";
import { ADDRESS } from "../../../../nodes/common/shared/field-checks.ts";
import type { ResourceReport } from "../../../../nodes/common/telemetry/types.ts";
import { type Check, type CheckContext, type Finding, isSameService } from "../check-context.ts";

const BUTTONS = [{ kind: "refresh" }] as const;

/** A wallet is archived or failed, or does not accept the key that is to sign for it. */
export const walletState: Check = {
  name: "wallet-state",
  find: async (context) => {
    const { flows, activity, answers } = context;
    const found: Finding[] = [];
    for (const node of flows.ofType("crec-wallet")) {
      const wallet = context.running<WalletNode>(node.id)?.wallet;
      if (!wallet || wallet.problem) continue;
      const seen = seenOf(wallet, activity);
      const origin = flows.originOf(node);
      const common = { origin, buttons: BUTTONS };
      const values = { wallet: wallet.label };
      const last = seen.toSorted((one, other) => one.seenAt - other.seenAt).at(-1);
      const isUsable = seen.some(({ status }) => status !== "archived" && status !== "failed");
      if (last && !isUsable) {
        const what = last.status === "failed" ? "failed" : "archived";
        found.push({ ...common, case: what, severity: "error", values });
        continue;
      }
      const key = await keyOf(wallet);
      const signers = seen.length === 1 && last ? answers.signers.get(last.id)?.value : undefined;
      if (key && signers && signers.length > 0 && !signers.includes(key.toLowerCase())) {
        found.push({ ...common, case: "signers", severity: "error", values: { ...values, key } });
      }
    }
    return found;
  },
};

/** The same name or address may be a wallet of several networks or services. */
function seenOf(wallet: WalletRef, activity: CheckContext["activity"]): ResourceReport[] {
  const { baseUrl } = wallet.connection();
  const label = wallet.label.toLowerCase();
  return activity.wallets.all().filter((one) => {
    if (!isSameService(one.service, baseUrl)) return false;
    if (one.chainSelector !== undefined && one.chainSelector !== wallet.chainSelector) return false;
    return ADDRESS.test(wallet.label) ? one.address?.toLowerCase() === label : one.name === wallet.label;
  });
}

/** As far as it is known without a key service. */
async function keyOf(wallet: WalletRef): Promise<string | undefined> {
  try {
    return await wallet.signer().knownAddress();
  } catch {
    // No signer is chosen: this wallet only drafts.
    return undefined;
  }
}

/** The service reported that an operation was not executed, and the chain executed it. Until Node-RED restarts. */
export const executedAfterAll: Check = {
  name: "executed-after-all",
  find: ({ activity, flows }) => {
    const lastOfNode = new Map(
      activity.ended.all().flatMap((one) => (one.isExecutedAfterAll ? [[one.node, one] as const] : [])),
    );
    return [...lastOfNode.values()]
      .filter(({ node }) => flows.get(node))
      .map(({ flow, node, type, label, operationId = "" }): Finding => {
        const origin = { flow, node, type, label };
        return { case: "operation", severity: "error", origin, values: { node: label, id: operationId } };
      });
  },
};
