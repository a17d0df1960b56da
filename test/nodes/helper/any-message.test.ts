import { createRequire } from "node:module";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import type { NodeAPI } from "node-red";
import should from "should";
import registerAccount from "../../../nodes/account/node.ts";
import registerAck from "../../../nodes/ack/node.ts";
import registerAlert from "../../../nodes/alert/node.ts";
import registerApi from "../../../nodes/api/node.ts";
import type { CrecMessage } from "../../../nodes/common/messages/message.ts";
import registerCreateWatcher from "../../../nodes/create-watcher/node.ts";
import registerEventsIn from "../../../nodes/events-in/node.ts";
import registerManage from "../../../nodes/manage/node.ts";
import registerOperation from "../../../nodes/operation/node.ts";
import registerRunQuery from "../../../nodes/run-query/node.ts";
import registerSearchEvents from "../../../nodes/search-events/node.ts";
import registerSigner from "../../../nodes/signer/node.ts";
import registerSubmitOperation from "../../../nodes/submit-operation/node.ts";
import registerVerifyEvent from "../../../nodes/verify-event/node.ts";
import registerWallet from "../../../nodes/wallet/node.ts";
import { generatePrivateKey } from "../../../src/index.ts";
import { eventually } from "../../support/eventually.ts";
import { createWatcherNode, eventsInNode } from "../../support/nodes.ts";
import { configNodes, helper, localService, runtime, settings } from "./support.ts";

helper.init(runtime, settings);

type Completion = { msg: CrecMessage; error?: Error & { code?: string }; node: { id: string } };
type Outcome = { code: string | undefined; message: string | undefined; sent: CrecMessage[] };

const { hooks } = createRequire(runtime)("@node-red/util") as Pick<NodeAPI, "hooks">;
const LABEL = "crec-any-message";

/** What a node only carries for others. */
const CARRIED = [
  ...["event", "offset", "alert", "epoch", "attempt", "consumer", "eventId", "dedupeKey", "verification"],
  ...["created", "redelivered", "late", "test", "eventParts", "usedKey", "cut", "walletOperationId"],
];
const throwing = (name: string) =>
  Object.defineProperty({}, name, {
    enumerable: true,
    get: () => {
      throw new Error("This getter throws.");
    },
  });

const wrong = fc.constantFrom<unknown>(
  ...[null, undefined, "", "abc", 0, -1, Number.NaN, true, [], ["a", "b"], {}, { headers: null }],
  ...[{ headers: "abc", payload: 7 }, { headers: { type: "query.status" }, payload: "abc" }, 10n],
  ...[Object.freeze({ type: "watcher.event", payload: [] }), Buffer.from("abc"), new Date(0), () => 1],
);
const noObject = fc.constantFrom<() => unknown>(
  ...["abc", "", null, undefined, 7, true, 10n].map((value) => () => value),
  ...[() => ["a", "b"], () => Buffer.from("abc"), () => new String("abc"), () => Object.freeze(["a"])],
  ...[() => () => 1, () => new Map([["0", "a"]]), () => Proxy.revocable({}, {})],
);
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
/** What makes nodes look at the event itself. */
const PROVEN = { verification: { verified: true }, dedupeKey: "log" };
const fields = fc
  .tuple(fc.dictionary(fc.constantFrom(...CARRIED), wrong, { maxKeys: 6 }), fc.constantFrom({}, PROVEN))
  .map(([values, proven]): Record<string, unknown> => ({ ...proven, ...values }));
const object = fc
  .tuple(fields, fc.constantFrom("plain", "frozen", "getters", "throws"))
  .map(([values, how]) => {
    if (how === "plain") return () => ({ ...values, mine: "stays" });
    if (how === "frozen") return () => Object.freeze({ ...values, mine: "stays" });
    const getters = Object.keys(values).map((name) => [name, { enumerable: true, get: () => values[name] }]);
    const thrown = how === "throws" ? Object.getOwnPropertyDescriptors(throwing("event")) : {};
    return () => Object.defineProperties({ mine: "stays" }, { ...Object.fromEntries(getters), ...thrown });
  });
const anyCrec = fc.oneof(
  fc.oneof(noObject, fc.constant(revoked)).map((make) => ({ make, keeps: false })),
  object.map((make) => ({ make, keeps: true })),
  // Function nodes make objects of another realm.
  fc.constant({ make: () => runInNewContext('Object.freeze({ mine: "stays", event: [] })'), keeps: true }),
);
const anyMessage = fc.tuple(anyCrec, fc.constantFrom("open", "frozen", "sealed", "getter"));

function messageOf(crec: unknown, how: string, probe: string): CrecMessage {
  const rest = { _msgid: probe, payload: "channels", topic: "pause", probe, own: { nested: [1] } };
  if (how === "getter")
    return Object.defineProperty(rest, "crec", { enumerable: true, get: () => crec }) as never;
  const msg = { ...rest, crec } as CrecMessage;
  return how === "frozen" ? Object.freeze(msg) : how === "sealed" ? Object.seal(msg) : msg;
}

describe("any msg.crec, in every node that takes messages", function () {
  this.timeout(120_000);
  const sent: CrecMessage[] = [];
  const completed = new Map<string, Completion>();
  let number = 0;

  const tab = { id: "tab", type: "tab" };
  const ids = [
    ...["account", "ack", "alert", "api", "watcher", "events", "manage", "operation", "query", "search"],
    ...["submit", "verify", "rename"],
  ];

  before(async () => {
    await helper.startServer();
    const { ready, flow, credentials } = await localService();
    const network = { connection: "connection", chainSelector: ready.chain_selector };
    const to = { ...network, to: ready.contracts.DemoToken, data: "0x18160ddd" };
    const wired = (id: string, type: string, more: object = {}) => ({
      ...{ id, type, z: "tab", wires: [["out"], ["out"], ["out"]], channel: "channel", ...more },
    });
    const connected = { connection: "connection", channel: "" };
    await helper.load(
      [
        ...[...configNodes, registerSigner, registerWallet, registerAccount, registerAck, registerAlert],
        ...[registerApi, registerCreateWatcher, registerEventsIn, registerManage, registerOperation],
        ...[registerRunQuery, registerSearchEvents, registerSubmitOperation, registerVerifyEvent],
      ],
      [
        ...[tab, ...flow, { id: "signer", type: "crec-signer" }],
        { id: "wallet", type: "crec-wallet", wallet: "any-message", signer: "signer", ...network },
        wired("account", "crec-account", connected),
        wired("ack", "crec-ack"),
        wired("alert", "crec-alert", { channel: "" }),
        wired("api", "crec-api", { ...connected, method: "GET", path: "payload", pathType: "msg" }),
        { ...createWatcherNode(), ...wired("watcher", "crec-create-watcher") },
        { ...eventsInNode(), ...wired("events", "crec-events-in", { wires: [] }) },
        wired("manage", "crec-manage", { wallet: "wallet", action: "wallets.create-or-find" }),
        wired("rename", "crec-manage", { action: "watchers.list" }),
        wired("operation", "crec-operation", { action: "list" }),
        wired("query", "crec-run-query", { kind: "raw", ...to }),
        wired("search", "crec-search-events", { limit: "2" }),
        wired("submit", "crec-submit-operation", {
          ...{ wallet: "wallet", mode: "draft", source: "message", onceFor: "event" },
          ...{
            transactions: JSON.stringify([{ to: to.to, value: "0", data: "0x" }]),
            transactionsType: "json",
          },
        }),
        wired("verify", "crec-verify-event", connected),
        { id: "out", type: "helper", z: "tab", wires: [] },
      ],
      { ...credentials, signer: { privateKey: generatePrivateKey() } },
    );
    helper.getNode("out").on("input", (msg) => sent.push(msg as CrecMessage));
    hooks.add(`onComplete.${LABEL}`, (completion: Completion) => {
      if (ids.includes(completion.node.id)) completed.set(String(completion.msg._msgid), completion);
    });
    for (const id of ["manage", "watcher"]) should((await take(id, { crec: {} })).message).be.undefined();
  });
  after(async () => {
    hooks.remove(`*.${LABEL}`);
    await helper.unload();
    await helper.stopServer();
  });

  /** What a node makes of a message. */
  async function take(id: string, given: object | ((probe: string) => object)): Promise<Outcome> {
    number += 1;
    const probe = `probe-${number}`;
    const msg = typeof given === "function" ? given(probe) : { _msgid: probe, probe, ...given };
    helper.getNode(id).receive(msg);
    const { error } = await eventually(`${id} is done`, () => completed.get(probe));
    const own = sent.filter((one) => one.probe === probe);
    return { code: error?.code, message: error?.message, sent: own };
  }

  it("counts as absent, is never spread, and never an internal error", async () => {
    await fc.assert(
      fc.asyncProperty(anyMessage, async ([{ make, keeps }, how]) => {
        const outcomes = ids.map(async (id) => {
          const crec = make();
          const taken = await take(id, (probe) => messageOf(crec, how, probe));
          const about = `${id}: ${taken.code} ${taken.message}`;
          should(taken.code).not.equal("INTERNAL_ERROR", about);
          if (taken.message !== undefined) should(typeof taken.code).equal("string", about);
          for (const msg of taken.sent) {
            should(msg.own).deepEqual({ nested: [1] }, about);
            const names = Object.keys(msg.crec ?? {});
            should(names.filter((name) => /^\d+$/.test(name))).be.empty();
            if (keeps) should(msg.crec).have.property("mine", "stays");
          }
        });
        await Promise.all(outcomes);
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });

  it("has no event where something else stands in its place", async () => {
    for (const event of ["abc", 7, ["abc"], null]) {
      const { sent: alerts } = await take("alert", { crec: { event } });
      should(alerts.map(({ payload }) => payload)).not.be.empty();
      for (const { payload } of alerts) should(payload).not.have.property("unproven");
    }
  });

  const ASKED = ["watcher", "operation", "query", "search", "submit", "rename"];
  it("gives a typed error for a wrong channel id, and never takes the form's", async () => {
    const values = [null, undefined, "", 7, ["abc"], {}, Buffer.from("abc")];
    for (const channelId of values)
      for (const id of ASKED) {
        const { code } = await take(id, { crec: { channelId } });
        should(code).equal("INVALID_FIELD", `${id} ${String(channelId)}`);
      }
    for (const id of ASKED)
      should((await take(id, { crec: throwing("channelId") })).code).equal("INVALID_FIELD");
    should((await take("submit", { crec: throwing("operationKey") })).code).equal("INVALID_FIELD");
  });
});
