import type { FlowNode } from "../../support/node-red.ts";
import { channelNode, connectionNode, eventsInNode } from "../../support/nodes.ts";
import {
  COUNTER_ABI,
  call,
  signerNode,
  submitNode,
  value,
  walletNode,
} from "../../support/operation-nodes.ts";
import { ACTIONS_CHANNEL, EVENTS_CHANNEL, type FleetChain, WALLET } from "./chain.ts";
import type { FleetRecord } from "./records.ts";

export const LEASE_MS = 1_000;
/** The longest time between two looks at the channel. */
export const POLL_MS = 500;
export const READER = "events";
export const CONSUMER = "fleet";
const TAB = "fleet-tab";

/**
 * The flow that each copy runs: each event is recorded, acted on once and acknowledged. What fails is sent again. The
 * ids are the same everywhere, as they are where a flow is copied.
 */
export function fleetFlow(chain: FleetChain, inFlight: number): FlowNode[] {
  const { ready } = chain.service;
  return [
    { id: TAB, type: "tab", label: "fleet" },
    connectionNode(ready),
    { id: "fleet", type: "crec-fleet", lease: String(LEASE_MS / 1_000) },
    channelNode({ channel: EVENTS_CHANNEL }),
    channelNode({ id: "actions", channel: ACTIONS_CHANNEL }),
    signerNode(chain.walletKey),
    walletNode(ready, { wallet: WALLET }),
    {
      ...{ id: "counter", type: "crec-contract", chainSelector: ready.chain_selector },
      ...{ address: ready.contracts.Counter, abi: COUNTER_ABI },
    },
    eventsInNode({
      ...{
        id: READER,
        z: TAB,
        x: 1,
        y: 1,
        consumer: CONSUMER,
        fleet: "fleet",
        types: ["watcher.event"],
        verify: true,
      },
      ...{ commit: "on-ack", inFlight: String(inFlight), ackTimeout: "20", start: "beginning" },
      ...{ pollMin: "0.1", pollMax: String(POLL_MS / 1_000), wires: [["note-sent"], ["note-rejected"], []] },
    }),
    noting("sent", ["submit"]),
    submitNode({
      ...{
        z: TAB,
        x: 1,
        y: 1,
        channel: "actions",
        waitFor: "sent",
        follow: false,
        wires: [["note-done"], []],
      },
      ...{ calls: [call("counter", "add(uint256)", value("payload.params.value", "msg"))] },
    }),
    {
      id: "ack",
      type: "crec-ack",
      z: TAB,
      x: 1,
      y: 1,
      action: "ack",
      wires: [["note-acked"], ["note-moved"]],
    },
    // Written before the acknowledgement: a copy may end right after it.
    noting("done", ["ack"]),
    noting("acked", []),
    noting("moved", []),
    noting("rejected", []),
    {
      id: "catch",
      type: "catch",
      z: TAB,
      x: 1,
      y: 1,
      scope: ["submit", "ack"],
      wires: [["note-failed"]],
    },
    noting("failed", ["again"]),
    { id: "again", type: "crec-ack", z: TAB, x: 1, y: 1, action: "retry", delay: "0.2", wires: [[], []] },
  ];
}

function noting(kind: FleetRecord["kind"], to: string[]): FlowNode {
  const func = `global.get("record")(${JSON.stringify(kind)}, msg); return msg;`;
  return {
    id: `note-${kind}`,
    type: "function",
    z: TAB,
    x: 1,
    y: 1,
    func,
    outputs: 1,
    libs: [],
    wires: [to],
  };
}
