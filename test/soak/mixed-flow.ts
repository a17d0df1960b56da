import type { ReadyInfo } from "../../service/src/index.ts";
import type { FlowNode } from "../support/node-red.ts";
import {
  channelNode,
  connectionNode,
  createWatcherNode,
  eventsInNode,
  verifyEventNode,
} from "../support/nodes.ts";
import {
  COUNTER_ABI,
  call,
  queryNode,
  signerNode,
  submitNode,
  value,
  walletNode,
} from "../support/operation-nodes.ts";

const TAB = "mixed";
const AT = { z: TAB, x: 1, y: 1 };
const COUNTER = `${COUNTER_ABI}\nevent Incremented(address indexed by, uint256 amount, uint256 count)`;

type Mixed = {
  ready: ReadyInfo;
  privateKey: string;
  wallet: string;
  channel: string;
  file: string;
  round: number;
};

/** Everything at once: events that are verified, alerted on and written down; operations; queries; watchers. */
export function mixedFlow({ ready, privateKey, wallet, channel, file, round }: Mixed): FlowNode[] {
  const line = "crec.eventId & ' ' & crec.offset & ' first'";
  return [
    { id: TAB, type: "tab", label: `mixed ${round}` },
    connectionNode(ready, { timeout: "10" }),
    channelNode({ channel }),
    {
      ...{ id: "counter", type: "crec-contract", chainSelector: ready.chain_selector },
      ...{ address: ready.contracts.Counter, abi: COUNTER },
    },
    signerNode(privateKey),
    walletNode(ready, { wallet }),
    every("submits", 2, ["submit"]),
    submitNode({
      ...{ ...AT, calls: [call("counter", "add(uint256)", value("1", "num"))], waitFor: "accepted" },
      ...{ operationKey: "_msgid", operationKeyType: "msg", follow: true, timeout: "30", wires: [[], []] },
    }),
    every("asks", 3, ["query"]),
    queryNode({ ...AT, call: call("counter", "count()"), wires: [[]] }),
    every("watches", 20, ["watcher"]),
    createWatcherNode({
      ...AT,
      watcherName: "mixed",
      contract: "counter",
      events: "Incremented",
      wires: [[]],
    }),
    eventsInNode({
      ...{
        ...AT,
        consumer: "mixed",
        commit: "on-ack",
        inFlight: "8",
        ackTimeout: "30",
        types: [],
        verify: true,
      },
      ...{ crashes: "0", wires: [["note", "verify"], ["note"], ["note"]] },
    }),
    verifyEventNode({ ...AT, firstTimeOnly: true, remember: "1000", wires: [["alert"], [], []] }),
    {
      ...{
        ...AT,
        id: "alert",
        type: "crec-alert",
        name: "mixed",
        when: "each",
        conditions: [],
        wires: [[], []],
      },
    },
    {
      ...{ ...AT, id: "note", type: "change", wires: [["write"]] },
      rules: [{ t: "set", p: "payload", pt: "msg", to: line, tot: "jsonata" }],
    },
    {
      ...{ ...AT, id: "write", type: "file", filename: file, filenameType: "str", appendNewline: true },
      ...{ createDir: false, overwriteFile: "false", encoding: "utf8", wires: [["ack"]] },
    },
    { ...AT, id: "ack", type: "crec-ack", action: "ack", wires: [[], []] },
    { ...AT, id: "caught", type: "catch", scope: null, wires: [[]] },
    { ...AT, id: "vitals", type: "vitals" },
  ];
}

function every(id: string, seconds: number, to: readonly string[]): FlowNode {
  return {
    ...AT,
    id,
    type: "inject",
    props: [],
    repeat: String(seconds),
    once: true,
    onceDelay: "1",
    wires: [to],
  };
}
