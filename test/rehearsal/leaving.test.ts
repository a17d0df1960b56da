import should from "should";
import type { FlowNode } from "../../rehearsal/shared/job.ts";
import type { Outcome, Report } from "../../rehearsal/shared/report.ts";
import { jobOf, rehearse, SPAN } from "../support/rehearsal.ts";
import { channelOf, configOf, pastOf, snapshotOf, TOKENS } from "./support/signed-events.ts";

const CHANNEL = "7e77863e-8c8d-44b2-a0e0-45cad1325017";
const CHAIN = "7759470850252068959";
const START = SPAN.from / 1000;
const WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const ABI = "function balanceOf(address owner) view returns (uint256)";

/** Two transfers in one quiet time, a minute and a half into the span. */
const MADE = [90, 100].map((at) => ({
  ...{
    at,
    blockAge: 0,
    value: 7,
    name: "Transfer" as const,
    token: 0 as const,
    confidence: "finalized" as const,
  },
  ...{ isForged: false, isStatus: false, isAgain: false },
}));

const CHANNELS = [channelOf(CHANNEL, "all", START, MADE)];
const AT = MADE.map(({ at }) => SPAN.from + at * 1000);

function on(id: string, type: string, more: Record<string, unknown>, wires: string[][] = [[]]): FlowNode {
  return { id, type, z: "tab", x: 1, y: 1, wires, ...more };
}

/** Each is given both events. Of which kind the outcomes are, and what they say. */
const LEAVING: ReadonlyArray<[FlowNode, Outcome["kind"], RegExp]> = [
  [on("mqtt", "mqtt out", { topic: "alarm", broker: "broker" }, []), "sent", /^alarm$/],
  [
    on("request", "http request", { method: "POST", url: "https://example.com/hook" }),
    "sent",
    /example\.com\/hook/,
  ],
  [on("response", "http response", { statusCode: "" }, []), "sent", /Transfer/],
  // Of a palette that nobody has installed.
  [on("mail", "e-mail", { server: "smtp.example.com", name: "someone@example.com" }, []), "sent", /Transfer/],
  [on("file", "file", { filename: "/tmp/rehearsed.txt", filenameType: "str" }), "sent", /rehearsed\.txt/],
  [on("exec", "exec", { command: "reboot", addpay: "" }, [[], [], []]), "sent", /^reboot$/],
  [
    on("operation", "crec-submit-operation", {
      ...{
        channel: "channel0",
        wallet: "wallet",
        mode: "send",
        onceFor: "event",
        deadline: "0",
        timeout: "1",
      },
      calls: [{ kind: "raw", to: { value: TOKENS[0], type: "str" }, data: { value: "0x", type: "str" } }],
    }),
    "operation",
    /^sign and send an operation of 1 call/,
  ],
  [
    on("watcher", "crec-create-watcher", {
      ...{
        channel: "channel0",
        watcherName: "another",
        watcherNameType: "str",
        source: "contract",
        timeout: "0",
      },
      ...{ contract: "contract", events: "Transfer", eventsType: "str" },
    }),
    "watcher",
    /^create a watcher named "another"$/,
  ],
  [
    on("query", "crec-run-query", {
      ...{
        channel: "channel0",
        kind: "contract",
        contract: "contract",
        verify: true,
        block: "latest",
        timeout: "5",
      },
      call: {
        ...{ contract: "contract", function: "balanceOf(address)" },
        args: [{ value: WALLET, type: "str" }],
      },
    }),
    "query",
    /^run a query: .*balanceOf/,
  ],
  [
    on("api", "crec-api", {
      ...{
        connection: "connection",
        method: "POST",
        path: "/wallets",
        pathType: "str",
        body: "{}",
        bodyType: "json",
      },
    }),
    "call",
    /create a wallet/,
  ],
  [on("ack", "crec-ack", { action: "ack" }, [[], []]), "ack", /./],
];

const FLOWS: FlowNode[] = [
  { id: "tab", type: "tab", label: "Tab" },
  ...configOf("", "http://service.invalid", CHANNELS),
  ...([
    {
      ...{ id: "contract", type: "crec-contract", chainSelector: CHAIN, address: TOKENS[0] },
      abi: `event Transfer(address indexed from, address indexed to, uint256 value)\n${ABI}`,
    },
    { id: "signer", type: "crec-signer", kind: "local" },
    {
      ...{ id: "wallet", type: "crec-wallet", connection: "connection", signer: "signer", wallet: WALLET },
      chainSelector: CHAIN,
    },
  ] as unknown as FlowNode[]),
  on(
    "events",
    "crec-events-in",
    {
      ...{ channel: "channel0", consumer: "one", types: [], verify: false, commit: "on-ack", inFlight: "10" },
      ackTimeout: "60",
    },
    [["each", "alert"], [], []],
  ),
  on("each", "change", { rules: [] }, [LEAVING.map(([{ id }]) => id)]),
  on(
    "alert",
    "crec-alert",
    { version: 1, match: "all", conditions: [], when: "each", quiet: "1m", takenBack: false, slack: "0s" },
    [[], [], []],
  ),
  ...LEAVING.map(([node]) => node),
];

/** A report names all that would have left a flow. */
describe("what would have left a flow", () => {
  let report: Report;
  before(async () => {
    report = await rehearse(jobOf(FLOWS, { snapshot: snapshotOf(CHANNELS) }), pastOf(CHANNELS, START));
  });

  const of = (id: string) => report.outcomes.filter(({ node }) => node === id);
  const pathOf = ({ path }: Outcome) => report.paths[path ?? -1]?.map(({ from, to }) => `${from} ${to}`);

  for (const [{ id, type }, kind, text] of LEAVING) {
    it(`by ${type}: what, when, by which event, and the path to it`, () => {
      const found = of(id);
      should(found.map((one) => [one.kind, one.at, one.event])).deepEqual(
        AT.map((at, index) => [kind, at, { channelId: CHANNEL, offset: index + 1 }]),
      );
      for (const one of found) {
        should(one.text).match(text);
        should(pathOf(one)).deepEqual(["events each", `each ${id}`]);
      }
      const node = report.nodes.find((one) => one.id === id);
      should(node?.outcomes).deepEqual({ [kind]: 2 });
    });
  }

  it("and why an alert did not", () => {
    should(of("alert").map(({ kind, at, why, event }) => [kind, at, why, event?.offset])).deepEqual([
      ["alert", AT[0], undefined, 1],
      ["suppressed", AT[1], "quiet", 2],
    ]);
    for (const one of of("alert")) should(pathOf(one)).deepEqual(["events alert"]);
  });

  it("and nothing else", () => {
    const known = new Set([...LEAVING.map(([{ id }]) => id), "alert"]);
    should(report.outcomes.filter(({ node }) => !known.has(node))).deepEqual([]);
  });
});
