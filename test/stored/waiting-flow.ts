import type { ReadyInfo } from "../../service/src/index.ts";
import type { FlowNode } from "../support/node-red.ts";
import { contractNode, createWatcherNode, manageNode } from "../support/nodes.ts";
import { operationNode, queryNode, submitNode, walletNode } from "../support/operation-nodes.ts";

/** Each node that waits, by its id, with its number of outputs. What waits for people has no deadline. */
export function waitingNodes(): Array<[FlowNode, number]> {
  const [timeout, deadline] = ["600", "0"];
  const drafts = { mode: "draft", approve: true, approvalSigner: "signer", approvals: "1" };
  return [
    [submitNode({ timeout, deadline, follow: false }), 2],
    [submitNode({ timeout, deadline, follow: false, id: "asked", wallet: "custody" }), 2],
    [submitNode({ timeout, deadline, id: "draft", ...drafts }), 2],
    [operationNode("wait", { timeout }), 1],
    [queryNode({ timeout }), 2],
    [manageNode("wallets.create-or-find", { timeout, wallet: "new" }), 1],
    [createWatcherNode({ timeout, contract: "watched" }), 2],
  ];
}

/** What these nodes use, besides the configuration of all flows. The custodian has the key of the signer. */
export function waitingConfig(ready: ReadyInfo, custodian: { url: string; address: string }): FlowNode[] {
  const { url, address } = custodian;
  return [
    { id: "elsewhere", type: "custody-signer", url, address, timeoutMs: 1_800_000 },
    walletNode(ready, { id: "custody", signer: "elsewhere" }),
    walletNode(ready, { id: "new", wallet: "another" }),
    contractNode(ready, { id: "watched" }),
  ];
}
