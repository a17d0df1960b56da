import should from "should";
import type { Preview } from "../../nodes/submit-operation/preview-types.ts";
import { PROXY, placeProxy } from "../support/forwarders.ts";
import { OperationHarness, SEPOLIA } from "../support/operation-harness.ts";
import { operationNode, submitNode, value } from "../support/operation-nodes.ts";

/** What a call of a proxy does changes with its implementation. Only the local service tells that. */
describe("a draft that calls a proxy", function () {
  this.timeout(120_000);

  let harness: OperationHarness;

  before(async () => {
    harness = await OperationHarness.start(undefined, {}, { strict: false });
    await harness.deploy([
      [submitNode({ id: "listed", mode: "draft", source: "message" }), 2],
      [operationNode("get"), 1],
      [operationNode("finalize"), 1],
    ]);
  });

  after(() => harness?.close());

  it("is told in the preview of the form, for the network of the local service", async () => {
    const { ready } = harness.service;
    await placeProxy(ready, String(ready.contracts.Counter));
    const raw = (to: object) => ({ kind: "raw", to, data: value("0x12345678"), amount: value("") });
    const calls = [value(PROXY), value(String(ready.contracts.Counter)), value("to", "msg")].map(raw);
    const told = async (wallet: object) => {
      const response = await harness.nodeRed.fetch("crec/operation/preview", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ source: "form", calls, wallet }),
      });
      return ((await response.json()) as Preview).calls.map(({ implementation }) => implementation);
    };
    const chosen = { id: "wallet", connection: "connection", chainSelector: ready.chain_selector };
    const expected = [ready.contracts.Counter, undefined, undefined];
    const nothing = [undefined, undefined, undefined];
    should(await told(chosen)).eql(expected);
    should(await told({ ...chosen, chainSelector: "${CREC_CHAIN_SELECTOR}" })).eql(expected);
    should(await told({ ...chosen, chainSelector: SEPOLIA })).eql(nothing);
    should(await told({ ...chosen, connection: "undeployed" })).eql(nothing);
    harness.proxy.harm = ({ path }) =>
      path.startsWith("/local/") ? { kind: "answer", status: 404, body: "{}" } : undefined;
    should(await told(chosen)).eql(nothing);
    harness.proxy.harm = () => undefined;
  });

  const implementationIn = (crec: Record<string, unknown> = {}) =>
    (crec.preview as Array<{ implementation?: string }>)[0]?.implementation;

  it("names its implementation in the preview, and is warned of where that was upgraded since", async () => {
    const { ready } = harness.service;
    const { Counter, GuardedToken } = ready.contracts;
    await placeProxy(ready, String(Counter));
    const called = { payload: [{ to: PROXY, data: "0x12345678" }] };
    const [same, changed] = [await harness.ask("listed", called), await harness.ask("listed", called)];
    for (const { crec } of [same, changed]) should(implementationIn(crec)).equal(Counter);
    const warning = `[warn] [crec-operation:finalize] Call 1: The proxy ${PROXY} was upgraded`;

    const { crec: signed } = await harness.ask("finalize", { crec: same.crec ?? {} });
    should(signed).not.have.property("upgraded");
    should(harness.nodeRed.log).not.containEql(warning);

    await placeProxy(ready, String(GuardedToken));
    const { crec: read } = await harness.ask("get", { crec: changed.crec ?? {} });
    should(implementationIn(read)).equal(GuardedToken);
    const { crec } = await harness.ask("finalize", { crec: changed.crec ?? {} });
    should(crec?.upgraded).deepEqual([{ to: PROXY, from: Counter, implementation: GuardedToken }]);
    should(harness.nodeRed.log).containEql(
      `${warning} since the draft was made: its implementation was ${Counter}, and is ${GuardedToken} now.`,
    );
  });
});
