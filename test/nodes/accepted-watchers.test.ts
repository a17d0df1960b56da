import should from "should";
import { alertNode } from "../support/alert-harness.ts";
import { type Arrival, EventHarness } from "../support/event-harness.ts";
import { eventually } from "../support/eventually.ts";
import { eventsInNode, verifyEventNode } from "../support/nodes.ts";
import { TRANSFER } from "../support/transfer.ts";

const RECIPIENT = "0x00000000000000000000000000000000000000AB";

/** The same event, as an ABI reads it that swaps its first two names. */
const SWAPPED = {
  ...TRANSFER,
  inputs: TRANSFER.inputs.map((input, index) => ({ ...input, name: ["to", "from", "value"][index] ?? "" })),
};

type Watcher = { watcher_id: string; workflow_id?: string; status: string };

/** Two watchers of one contract make two truly signed events of one log, with sender and recipient exchanged. */
describe("accepted watchers", function () {
  this.timeout(120_000);
  let harness: EventHarness;
  let ours: string;
  let theirs: string;

  before(async () => {
    harness = await EventHarness.start(0);
    [ours, theirs] = await Promise.all([watcher("ours", TRANSFER), watcher("theirs", SWAPPED)]);
    await harness.call("POST", "/local/faucet", { to: RECIPIENT, amount: "5" });
  });

  after(() => harness?.close());

  const reader = (id: string, properties: object) =>
    [eventsInNode({ id, types: ["watcher.event"], confidence: "latest", ...properties }), 3] as [
      never,
      number,
    ];
  const paramsOf = (arrivals: readonly Arrival[]) =>
    arrivals.map(({ payload }) => {
      const { params } = payload as { params: { from: string; to: string } };
      return { from: params.from, to: params.to };
    });
  const issues = async () => {
    const headers = { "content-type": "application/json" };
    await harness.nodeRed.fetch("crec/monitor/issues/run", { method: "POST", headers, body: "{}" });
    return (await harness.nodeRed.fetch("crec/diagnostics")).text();
  };
  const reasonOf = ({ crec }: Arrival) => (crec.verification as { reason?: string }).reason;

  it("let only events leave that one of them reported, whatever the others sign", async () => {
    await harness.deploy([
      reader("any", {}),
      reader("ours", { acceptWatchers: ours }),
      reader("both", { acceptWatchers: JSON.stringify([theirs, ours]), acceptWatchersType: "json" }),
      [verifyEventNode({ id: "only-ours", acceptWatchers: `0x${ours.toUpperCase()}` }), 3],
      [verifyEventNode({ id: "only-theirs", acceptWatchers: theirs }), 3],
    ]);
    const all = await harness.arrived("any", 2);
    const read = paramsOf(all);
    const real = read.find(({ to }) => to === RECIPIENT);
    const swapped = read.find(({ from }) => from === RECIPIENT);
    should(swapped).eql({ from: real?.to, to: real?.from });
    const signed = all.map(({ crec }) => (crec.verification as { workflowId: string }).workflowId);
    should(signed.sort()).eql([ours, theirs].sort());

    should(paramsOf(await harness.arrived("ours", 1))).eql([real]);
    const [rejected] = await harness.arrived("ours", 1, 1);
    should(reasonOf(rejected as Arrival)).equal("unexpected_watcher");
    await harness.arrived("both", 2);

    for (const { payload, crec } of all) {
      for (const id of ["only-ours", "only-theirs"]) await harness.press(id, { payload, crec });
    }
    should(paramsOf(await harness.arrived("only-ours", 1))).eql([real]);
    should(paramsOf(await harness.arrived("only-theirs", 1))).eql([swapped]);
    for (const id of ["only-ours", "only-theirs"]) {
      const [refused] = await harness.arrived(id, 1, 1);
      should(reasonOf(refused as Arrival)).equal("unexpected_watcher");
    }
  });

  it("not chosen, both events pass each event once, the second one marked and reported", async () => {
    const search = { id: "search", type: "crec-search-events", channel: "channel", types: ["watcher.event"] };
    await harness.deploy([
      reader("any", {}),
      [verifyEventNode({ id: "once", firstTimeOnly: true, remember: "100" }), 3],
      [search, 1],
    ]);
    const all = await harness.arrived("any", 2);
    for (const _time of [1, 2])
      for (const { payload, crec } of all) await harness.press("once", { payload, crec });
    const [first, second, ...more] = await harness.arrived("once", 2);
    should(more).be.empty();
    should(first?.crec).not.have.property("contradicts");
    should(second?.crec).have.properties({ contradicts: true, dedupeKey: first?.crec.dedupeKey });
    const seen = await harness.arrived("once", 2, 1);
    should(seen.map(reasonOf)).eql(["seen_before", "seen_before"]);
    await harness.nodeRed.status("once", /rejected|contradicts/);
    should(harness.nodeRed.log).match(/arrived before with other parameters/);

    await harness.press("search", {});
    const found = await harness.arrived("search", 2);
    should(found.map(({ crec }) => crec.contradicts === true)).eql([false, true]);
    const post = (path: string) =>
      harness.nodeRed.fetch(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      });
    should((await post("crec/events-in/any/last")).ok).be.true();
    const sent = await harness.arrival("any", ({ crec }) => crec.test === true);
    should(sent.crec).have.property("contradicts", true);

    should(await issues()).match(/event-contradicts/);
  });

  it("that are not chosen let an alert count a log once, and show that its events contradict each other", async () => {
    await harness.deploy([reader("any", {})]);
    const all = await harness.arrived("any", 2);
    await harness.deploy([[alertNode({ id: "counts", name: "Paid" }), 3]]);
    should(await issues()).not.match(/event-contradicts/);
    for (const { payload, crec } of all) await harness.press("counts", { payload, crec });
    const [seen] = await harness.arrived("counts", 1, 2);
    should((seen as Arrival).crec.alert).eql({ passed: "seen" });
    should(harness.arrivals("counts")).have.length(1);
    const shown = await harness.nodeRed.status("counts", /^alerts: 1; contradictory parameters/);
    should(shown.fill).equal("yellow");
    should(await issues()).match(/event-contradicts/);
  });

  it("are not asked where verify event has seen the contradiction", async () => {
    await harness.deploy([[alertNode({ id: "is-told" }), 3]]);
    await harness.press("is-told", { payload: 1, crec: { contradicts: true } });
    await harness.nodeRed.status("is-told", /^alerts: 1; contradictory parameters/);
  });

  it("are offered by name, and stored as the workflow that proofs name", async () => {
    const answer = await harness.nodeRed.fetch("crec/lookup/watcher-workflows/channel");
    const { choices } = (await answer.json()) as { choices: Array<{ value: string; label: string }> };
    should(choices.map(({ value, label }) => [label, value])).containDeep([
      ["ours", ours],
      ["theirs", theirs],
    ]);
  });

  it("that are no ids are refused before anything is read", async () => {
    await harness.deploy([reader("named", { acceptWatchers: "ours" })]);
    await harness.nodeRed.shows(
      ({ name, value }) => name === "error" && /workflow id has 64 hex digits/.test(JSON.stringify(value)),
    );
    should(harness.arrivals("named")).be.empty();
  });

  /** @returns its workflow, once it runs */
  async function watcher(name: string, event: object): Promise<string> {
    const { chain_selector, contracts } = harness.service.ready;
    const { data } = (await harness.call("GET", `/channels?name=${harness.service.channelName}`)) as {
      data: Array<{ channel_id: string }>;
    };
    const watchers = `/channels/${data[0]?.channel_id}/watchers`;
    const body = { name, chain_selector, address: contracts.DemoToken, events: ["Transfer"], abi: [event] };
    const { watcher_id } = await harness.call("POST", watchers, body);
    const made = await eventually(
      "an active watcher",
      () => harness.call("GET", `${watchers}/${watcher_id}`),
      ({ status }) => status === "active",
    );
    return String((made as Watcher).workflow_id);
  }
});
