import type { ReadyInfo } from "../../../service/src/index.ts";
import { harnessFlow } from "../../support/flow-harness.ts";
import type { FlowNode } from "../../support/node-red.ts";
import { apiNode, channelNode, connectionNode, contractNode, manageNode } from "../../support/nodes.ts";
import { call, signerNode, submitNode, value, walletNode } from "../../support/operation-nodes.ts";

/** By the name of its variable. */
export type Secrets = Readonly<
  Record<"API_KEY" | "SIGNER_KEY" | "DEFAULT_KEY" | "TAB_SECRET" | "GLOBAL_SECRET" | "WRONG_PLACE", string>
>;

const INSIDE = { z: "made", x: 1, y: 1 };
const port = (id: string) => [{ x: 1, y: 1, wires: [{ id, port: 0 }] }];
const variable = (name: string) => ({ name, type: "cred" });

/** The buttons of a flow with these instances. */
export const BUTTONS = ["instance", "other", "outside"] as const;

/**
 * A subflow whose connection and signer have their secrets from its environment, twice: one instance has its own, one
 * the defaults. Beside it, secrets of the flow and of all flows; and one in each field where none belongs.
 */
export function subflowWith(ready: ReadyInfo, secrets: Secrets): FlowNode[] {
  const inside: FlowNode[] = [
    {
      ...connectionNode(ready, { baseUrl: "${SUBFLOW_BASE_URL}", graphqlUrl: "", orgId: "${WRONG_PLACE}" }),
      ...{ z: "made", credentials: { apiKey: "${API_KEY}" } },
    },
    { ...channelNode({ createMissing: true }), z: "made" },
    { ...contractNode(ready), z: "made" },
    { ...signerNode("${SIGNER_KEY}"), z: "made" },
    { ...walletNode(ready, { wallet: "subflow" }), z: "made" },
    { ...manageNode("channels.list"), ...INSIDE, wires: [["api"]] },
    { ...apiNode({ path: "/channels", pathType: "str" }), ...INSIDE, wires: [["create"]] },
    { ...manageNode("wallets.create-or-find", { id: "create", wallet: "wallet" }), ...INSIDE, wires: [[]] },
    {
      ...submitNode({
        calls: [call("contract", "transfer(address,uint256)", value("${WRONG_PLACE}"), value("1"))],
      }),
      ...{ ...INSIDE, wires: [[], []] },
    },
  ];
  const made = {
    ...{ id: "made", type: "subflow", name: "made", info: "" },
    env: [variable("API_KEY"), variable("SIGNER_KEY"), variable("WRONG_PLACE")],
    credentials: {
      ...{ API_KEY: secrets.DEFAULT_KEY, SIGNER_KEY: secrets.SIGNER_KEY, WRONG_PLACE: secrets.WRONG_PLACE },
    },
    in: [{ x: 1, y: 1, wires: [{ id: "manage" }, { id: "submit" }] }],
    out: port("create"),
  };
  const instance = {
    ...{ id: "instance", type: "subflow:made", env: [variable("API_KEY")] },
    credentials: { API_KEY: secrets.API_KEY },
  };
  const flows = harnessFlow(
    [...secretsIn(secrets), made as FlowNode, ...inside, ...outside(ready)],
    [
      [instance, 1],
      [{ id: "other", type: "subflow:made" }, 1],
      [apiNode({ id: "outside", connection: "outside-connection", path: "/channels", pathType: "str" }), 1],
    ],
  );
  return flows.map((node) =>
    node.type === "tab"
      ? {
          ...{ ...node, env: [variable("TAB_SECRET"), variable("WRONG_PLACE")] },
          credentials: { TAB_SECRET: secrets.TAB_SECRET, WRONG_PLACE: secrets.WRONG_PLACE },
        }
      : node,
  );
}

/** Secrets of all flows. */
export function secretsIn({ GLOBAL_SECRET }: Secrets): FlowNode[] {
  const env = [variable("GLOBAL_SECRET")];
  const map = { GLOBAL_SECRET };
  return [{ id: "global", type: "global-config", name: "", env, modules: {}, credentials: { map } }];
}

/** Its key is a secret of all flows, which is for no address of the environment. */
function outside(ready: ReadyInfo): FlowNode[] {
  const credentials = { apiKey: "${GLOBAL_SECRET}" };
  return [connectionNode(ready, { id: "outside-connection", baseUrl: "${SUBFLOW_BASE_URL}", credentials })];
}
