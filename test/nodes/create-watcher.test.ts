import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { CrecClient } from "../../src/index.ts";
import { type Borrowed, borrowNodeRed } from "../support/borrowed-node-red.ts";
import { ask, harnessFlow, refuse } from "../support/flow-harness.ts";
import type { NodeRed } from "../support/node-red.ts";
import { channelNode, connectionNode, contractNode, createWatcherNode } from "../support/nodes.ts";
import { startTestService } from "../support/service.ts";

const ELSEWHERE = "0x00000000000000000000000000000000DeaDBeef";
const ABI = [
  "event Paid(address indexed from, uint256 value)",
  "event Paid(address indexed from, uint256 value, bytes memo)",
  "event Closed()",
].join("\n");

/** The first event, with another name of a parameter. */
const RENAMED = "event Paid(address indexed payer, uint256 value)\nevent Closed()";

/** Of a proxy with its implementations. */
const MERGED = "event Level(int256 indexed x)\nevent Level(int256 x)";

/** One node watches many contracts of one kind, and distinguishes events of the same name. */
describe("create watcher", function () {
  this.timeout(120_000);

  let service: RunningService;
  let borrowed: Borrowed;
  let nodeRed: NodeRed;

  before(async () => {
    [service, borrowed] = await Promise.all([startTestService(), borrowNodeRed()]);
    nodeRed = borrowed.nodeRed;
    const byName = { watcherName: "name", watcherNameType: "msg" };
    await nodeRed.deploy(
      harnessFlow(
        [
          connectionNode(service.ready),
          channelNode({ createMissing: true }),
          contractNode(service.ready, { abi: ABI }),
          contractNode(service.ready, { id: "renamed", abi: RENAMED }),
          contractNode(service.ready, { id: "merged", abi: MERGED }),
        ],
        [
          [createWatcherNode({ ...byName, id: "fixed", events: "Closed", address: ELSEWHERE }), 2],
          [
            createWatcherNode({
              ...{ ...byName, id: "by-message", events: "events", eventsType: "msg" },
              ...{ address: "address", addressType: "msg" },
            }),
            2,
          ],
          [
            createWatcherNode({
              ...{ ...byName, id: "by-service", source: "service", service: "dvp", events: "Settled" },
              ...{ serviceConfig: "settings", serviceConfigType: "msg", timeout: "0" },
              ...{ chainSelector: "network", chainSelectorType: "msg", address: "to", addressType: "msg" },
            }),
            2,
          ],
          [
            createWatcherNode({
              ...{ ...byName, id: "by-extension", source: "extension", extension: "dta.v2" },
              ...{ events: "SubscriptionRequested", address: service.ready.contracts.DemoDta },
              ...{ chainSelector: service.ready.chain_selector, serviceConfig: '{"left": "over"}' },
            }),
            2,
          ],
          [
            createWatcherNode({
              ...{ ...byName, id: "by-renamed", contract: "renamed", events: "events", eventsType: "msg" },
              ...{ address: "address", addressType: "msg", timeout: "0" },
            }),
            2,
          ],
          [
            createWatcherNode({
              ...{ ...byName, id: "by-merged", contract: "merged", events: "events", eventsType: "msg" },
              ...{ address: "address", addressType: "msg", timeout: "0" },
            }),
            2,
          ],
          [createWatcherNode({ ...byName, id: "impossible", events: "Closed", timeout: "soon" }), 2],
        ],
      ),
    );
  });

  after(async () => {
    await borrowed?.giveBack();
    await service?.close();
  });

  it("watches another contract of the same ABI", async () => {
    const { payload } = await ask(nodeRed, "fixed", { name: "elsewhere" });
    should(payload).match({ address: ELSEWHERE, events: ["Closed"] });
  });

  it("takes the address and the events from the message, overloads by their signature", async () => {
    const asked = { name: "overloaded", address: ELSEWHERE };
    const events = "Closed, Paid(address,uint256,bytes)";
    const { payload } = await ask(nodeRed, "by-message", { ...asked, events });
    const { abi, ...watcher } = payload as { abi: Array<{ name: string; inputs: unknown[] }> };
    should(watcher).match({ address: ELSEWHERE, events: ["Closed", "Paid"] });
    should(abi.map(({ name, inputs }) => `${name}/${inputs.length}`)).deepEqual(["Closed/0", "Paid/3"]);
    const list = await ask(nodeRed, "by-message", {
      ...asked,
      events: ["Closed", "Paid(address,uint256,bytes)"],
    });
    should(list.crec).have.property("found", true);
  });

  it("asks which event is meant where the ABI has two with one signature", async () => {
    const asked = { name: "merged", address: ELSEWHERE };
    const { error } = await refuse(nodeRed, "by-merged", { ...asked, events: "Level" });
    should(error).match({ code: "ABI_AMBIGUOUS", message: /Level\(int256 indexed x\) or Level\(int256 x\)/ });
    const { payload } = await ask(nodeRed, "by-merged", { ...asked, events: "Level(int256 indexed x)" });
    const { abi } = payload as { abi: Array<{ inputs: Array<{ indexed: boolean }> }> };
    should(abi.map(({ inputs }) => inputs.map(({ indexed }) => indexed))).deepEqual([[true]]);
  });

  it("warns once, before it creates a watcher that reads an event differently than another one", async () => {
    const { base_url, api_key } = service.ready;
    const address = "0x00000000000000000000000000000000000000A1";
    const first = await ask(nodeRed, "by-message", {
      ...{ name: "the first", address, events: "Closed, Paid(address,uint256)" },
    });
    const { watcherId = "", channelId = "" } = first.crec as Record<string, string>;
    const warnings = () => nodeRed.log.split("\n").filter((line) => line.includes("[crec-create-watcher:"));
    const said = warnings().length;
    should((await ask(nodeRed, "by-renamed", { name: "none of it", address, events: "Closed" })).crec).match({
      found: false,
    });
    const elsewhere = { name: "elsewhere, renamed", address: address.replace("A1", "A2"), events: "Paid" };
    await ask(nodeRed, "by-renamed", elsewhere);
    should(warnings()).have.length(said);

    const client = new CrecClient({ baseUrl: base_url, apiKey: api_key });
    await client.watchers.archive(channelId, watcherId);
    const renamed = { name: "the second", address: address.toLowerCase(), events: "Paid" };
    should((await ask(nodeRed, "by-renamed", renamed)).crec).match({ found: false });
    should((await ask(nodeRed, "by-renamed", renamed)).crec).match({ found: true });
    await client.close();
    const [warning, ...others] = warnings().slice(said);
    should(others).be.empty();
    should(warning).match(
      /"the first" of this contract reads Paid\(address indexed from, uint256 value\) and "the second"/,
    );
  });

  it("reports an address that the message does not give", async () => {
    const { error } = await refuse(nodeRed, "by-message", { name: "nowhere", events: "Closed" });
    should(error).match({
      code: "MISSING_VALUE",
      message: /"Address" is empty: there is nothing in msg.address/,
    });
    const odd = await refuse(nodeRed, "by-message", { name: "odd one", events: "Closed", address: "0x12" });
    should(odd.error).match({ code: "INVALID_ADDRESS" });
  });

  it("takes all of a service's settings from the message", async () => {
    const network = service.ready.chain_selector;
    const nowhere = { name: "a service", to: ELSEWHERE, settings: { level: 2 } };
    const asked = { ...nowhere, network };
    const created = await ask(nodeRed, "by-service", asked);
    should(created.payload).match({ service: "dvp", service_config: { level: 2 }, events: ["Settled"] });
    const { error } = await refuse(nodeRed, "by-service", { ...asked, settings: "all" });
    should(error).match({
      code: "INVALID_FIELD",
      message: /"Settings" cannot be "all"\. It must be an object/,
    });
    const withoutNetwork = await refuse(nodeRed, "by-service", nowhere);
    should(withoutNetwork.error).match({ code: "MISSING_VALUE", message: /"Network" is empty/ });
  });

  it("watches the events of an extension, without an ABI or settings", async () => {
    const { payload } = await ask(nodeRed, "by-extension", { name: "requests" });
    should(payload).match({ service: "dta.v2", events: ["SubscriptionRequested"], status: "active" });
    should(payload).not.have.properties(["service_config"]);
    should((await ask(nodeRed, "by-extension", { name: "requests" })).crec).have.property("found", true);
  });

  it("creates nothing when the timeout is wrong", async () => {
    const { error, crec } = await refuse(nodeRed, "impossible", { name: "not created" });
    should(error).match({
      code: "INVALID_FIELD",
      message: /"Timeout" cannot be "soon"\. .* a number of seconds/,
    });
    should(crec ?? {}).not.have.property("watcherId");
  });
});
