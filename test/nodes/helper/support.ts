import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import registerChannel from "../../../nodes/channel/node.ts";
import type { CrecMessage } from "../../../nodes/common/messages/message.ts";
import registerConnection from "../../../nodes/connection/node.ts";
import registerContract from "../../../nodes/contract/node.ts";
import type { FlowNode } from "../../support/node-red.ts";
import { channelNode, connectionNode, contractNode } from "../../support/nodes.ts";
import { startTestService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";

/** The part of the test helper in use; it comes without types. */
type Helper = {
  init(runtime: string, settings: object): void;
  startServer(): Promise<void>;
  stopServer(): Promise<void>;
  load(nodes: unknown[], flow: unknown[], credentials?: Record<string, unknown>): Promise<void>;
  unload(): Promise<void>;
  getNode(id: string): Node & { receive(msg: unknown): void };
};

const STARTED = "flows:started";

const require = createRequire(import.meta.url);
export const helper = require("node-red-node-test-helper") as Helper;
export const runtime = require.resolve("node-red");

const userDir = mkdtempSync(join(tmpdir(), "crec-helper-"));
process.once("exit", () => rmSync(userDir, { recursive: true, force: true }));
export const settings = { userDir };

/** The test helper gives nodes all but the hooks. */
function addHooks(RED: NodeAPI): void {
  const { hooks } = createRequire(runtime)("@node-red/util") as Pick<NodeAPI, "hooks">;
  RED.hooks = hooks;
  dropEarlierListeners(RED.events);
}

let ofNodeRed: readonly unknown[] | undefined;

/** Each load registers the nodes anew, and what they listen to until Node-RED ends. */
function dropEarlierListeners(events: NodeAPI["events"]): void {
  const started = events.listeners(STARTED) as Array<() => void>;
  ofNodeRed ??= started;
  for (const listener of started) if (!ofNodeRed.includes(listener)) events.off(STARTED, listener);
}

/** The config nodes that most nodes use. */
export const configNodes = [addHooks, registerConnection, registerChannel, registerContract];

const service = shared(
  () => startTestService(),
  (started) => started.close(),
);

/** Nodes that use a local service, which all tests share; the API key is apart, as the helper takes it. */
export async function localService() {
  const { ready } = await service();
  const { credentials: connection, ...withoutKey } = connectionNode(ready);
  const flow: FlowNode[] = [withoutKey, channelNode({ createMissing: true }), contractNode(ready)];
  return { ready, flow, credentials: { connection } };
}

/** What shows the errors of a flow. */
export const catchNodes = [
  { id: "errors", type: "catch", z: "tab", scope: null, uncaught: false, wires: [["caught"]] },
  { id: "caught", type: "helper", z: "tab", wires: [] },
];

/** The next message that a helper node receives. */
export async function nextMessage(
  id: string,
): Promise<CrecMessage & { error?: { message: string; source: object } }> {
  const [msg] = await once(helper.getNode(id), "input");
  return msg;
}
