import { join } from "node:path";
import type { ReadyInfo } from "../../../service/src/index.ts";
import { encodeFunctionCall, parseAbi } from "../../../src/index.ts";
import type { FlowNode } from "../../support/node-red.ts";
import { channelNode, connectionNode, eventsInNode } from "../../support/nodes.ts";
import { signerNode, submitNode, walletNode } from "../../support/operation-nodes.ts";

const TAB = "forging";
const AT = { z: TAB, x: 1, y: 1 };
/** Without its argument. */
const ADD = encodeFunctionCall({
  ...{ abi: parseAbi("function add(uint256 amount)"), function: "add", args: ["0"] },
}).data.slice(0, 10);

/** What leaves the nodes, each in a file of its own. */
export const OUTPUTS = ["verified", "rejected", "statuses", "reached", "errors"] as const;
export type Output = (typeof OUTPUTS)[number];

export type Acting = {
  ready: ReadyInfo;
  baseUrl: string;
  privateKey: string;
  wallet: string;
  /** Ids of the channels that are read, and that operations are in. */
  watched: string;
  operations: string;
  /** The workflow of the watcher that is accepted. */
  workflow: string;
  folder: string;
  /** Off: the planted fault. */
  verify: boolean;
};

/** events in, then a function that builds the call from the payload, then submit operation. */
export function actingFlow(acting: Acting): FlowNode[] {
  const { ready, baseUrl, verify } = acting;
  const reading = { ...AT, start: "beginning", verify, confidence: "", pollMin: "0.1", pollMax: "0.3" };
  return [
    { id: TAB, type: "tab", label: "acts on events behind a relay that forges" },
    connectionNode(ready, { baseUrl }),
    channelNode({ id: "watched", channel: acting.watched }),
    channelNode({ id: "operations", channel: acting.operations }),
    signerNode(acting.privateKey),
    walletNode(ready, { wallet: acting.wallet }),
    eventsInNode({
      ...{ ...reading, id: "events", channel: "watched", consumer: "forged-events" },
      ...{ types: ["watcher.event"], confidence: "finalized", acceptWatchers: acting.workflow },
      wires: [["note-verified", "calls"], ["note-rejected"], []],
    }),
    eventsInNode({
      ...{ ...reading, id: "follows", channel: "operations", consumer: "forged-statuses" },
      ...{ types: ["operation.status"], wires: [["note-statuses"], ["note-rejected"], []] },
    }),
    functionNode(
      "calls",
      `const data = "${ADD}" + BigInt(msg.payload.params.value).toString(16).padStart(64, "0");
msg.payload = [{ to: "${ready.contracts.Counter}", value: "0", data }];
return msg;`,
      ["submit"],
    ),
    submitNode({
      ...{ ...AT, channel: "operations", source: "message", timeout: "10", follow: false },
      wires: [["note-reached"], []],
    }),
    { ...AT, id: "caught", type: "catch", scope: null, wires: [["note-errors"]] },
    ...OUTPUTS.flatMap((output) => noted(output, fileOf(acting.folder, output))),
  ];
}

export function fileOf(folder: string, output: Output): string {
  return join(folder, `${output}.jsonl`);
}

/** One line of JSON for each message. */
function noted(output: Output, filename: string): FlowNode[] {
  const line = `const { crec = {}, error, payload } = msg;
const { event, ...rest } = crec;
return { payload: JSON.stringify({ payload, crec: rest, error: error && { code: error.code } }) };`;
  return [
    functionNode(`note-${output}`, line, [`write-${output}`]),
    {
      ...{ ...AT, id: `write-${output}`, type: "file", filename, filenameType: "str", appendNewline: true },
      ...{ createDir: false, overwriteFile: "false", encoding: "utf8", wires: [[]] },
    },
  ];
}

function functionNode(id: string, func: string, to: readonly string[]): FlowNode {
  return { ...AT, id, type: "function", func, outputs: 1, libs: [], wires: [to] };
}
