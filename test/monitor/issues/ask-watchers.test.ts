import should from "should";
import { channelKey } from "../../../plugins/monitor/issues/answer-cache.ts";
import { askWatchers } from "../../../plugins/monitor/issues/ask-watchers.ts";
import { type EventFragment, eventFragments, parseAbi, type Watcher } from "../../../src/index.ts";
import { CHANNEL, CHANNEL_ID, node, SERVICE, sceneOf, TAB } from "./scene.ts";

const TOKEN = "0xAb00000000000000000000000000000000000001";
const ABI = eventFragments(parseAbi("event Closed()"), ["Closed"]);
const signal = new AbortController().signal;

type Given = Partial<Watcher> & { watcher_id: string };

/** A service with these watchers in the channel. */
function service(watchers: readonly Given[]) {
  const calls = { lists: 0, read: [] as string[], atOnce: 0, most: 0 };
  async function* list(_channel: string, { status }: { status?: readonly string[] }) {
    calls.lists += 1;
    for (const one of watchers) {
      if ((one.status === "archived") === (status?.[0] === "archived"))
        yield { chain_selector: "1", address: TOKEN, ...one };
    }
  }
  const get = async (_channel: string, id: string) => {
    calls.read.push(id);
    calls.atOnce += 1;
    calls.most = Math.max(calls.most, calls.atOnce);
    await new Promise(setImmediate);
    calls.atOnce -= 1;
    const found = watchers.find(({ watcher_id }) => watcher_id === id);
    if (found?.name === "broken") throw new Error("It cannot be read.");
    return { abi: ABI, events: ["Closed"], ...found };
  };
  const findByName = async (name: string) => (name === "payments" ? { channel_id: CHANNEL_ID } : undefined);
  return { calls, client: { channels: { findByName }, watchers: { list, get } } };
}

async function sceneFor(client: object, { label = "payments", contract = "" } = {}) {
  const connection = { baseUrl: SERVICE, problem: undefined, client: async () => client };
  const channel = { label, problem: undefined, connection: () => connection };
  const own = { address: contract, chainSelector: "1", problem: undefined };
  const events = node("crec-events-in", "events", {
    channel: "channel",
    ...(contract ? { contract: "contract" } : {}),
  });
  return sceneOf({
    nodes: [TAB, ...CHANNEL, { id: "contract", type: "crec-contract" }, events],
    running: { connection: { connection }, channel: { channel }, contract: { contract: own } },
  });
}

/** Ids of watchers from a number on. */
const ids = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `w${from + index}`);

describe("the question how watchers read events", () => {
  it("lists all watchers of the channel, and reads those that share a contract, also archived ones", async () => {
    const { client, calls } = service([
      { watcher_id: "a", name: "first", workflow_id: `0x${"A".repeat(64)}`, created_at: 5 },
      { watcher_id: "b", status: "archived" },
      { watcher_id: "alone", address: TOKEN.replace("1", "2") },
      { watcher_id: "elsewhere", chain_selector: "2" },
    ]);
    const scene = await sceneFor(client);
    await askWatchers(scene, signal);
    should(calls.read).deepEqual(["a", "b"]);
    should(scene.answers.readings.get("b")?.value.size).equal(1);
    const { watchers, isWhole } = scene.answers.channels.get(channelKey(SERVICE, "payments"))?.value ?? {};
    should(isWhole).be.true();
    should(watchers).have.length(4);
    should(watchers).containDeep([
      { id: "a", name: "first", workflowId: "a".repeat(64), createdAt: 5 },
      { id: "b", name: "b", workflowId: undefined, createdAt: 0 },
    ]);
    await askWatchers(scene, signal);
    should(calls.read).have.length(2);
  });

  it("reads one that is alone where its contract has a node", async () => {
    const { client, calls } = service([{ watcher_id: "a", address: TOKEN.toLowerCase() }]);
    await askWatchers(await sceneFor(client), signal);
    should(calls.read).be.empty();
    await askWatchers(await sceneFor(client, { contract: TOKEN }), signal);
    should(calls.read).deepEqual(["a"]);
  });

  it("lists and reads only so many, and further ones when it is asked again", async () => {
    const { client, calls } = service(ids(5_000).map((watcher_id) => ({ watcher_id })));
    const scene = await sceneFor(client);
    await askWatchers(scene, signal);
    should(scene.answers.channels.get(channelKey(SERVICE, "payments"))?.value).match({ isWhole: false });
    should(calls.read).deepEqual(ids(100));
    should(calls.most).equal(8);
    await askWatchers(scene, signal);
    should(calls.read.slice(100)).deepEqual(ids(100, 100));
  });

  it("goes on where one cannot be read, or says odd things", async () => {
    const odd = { name: 7, address: null, chain_selector: {}, workflow_id: [], created_at: "now" };
    const { client } = service([
      ...[{ watcher_id: "a", name: "broken" }, { watcher_id: "b" }, { watcher_id: "c" }],
      { watcher_id: "odd", ...odd } as unknown as Given,
      { watcher_id: "text", abi: "none" as unknown as EventFragment[] },
    ]);
    const scene = await sceneFor(client);
    await askWatchers(scene, signal);
    should(scene.answers.readings.get("a")).be.undefined();
    should(scene.answers.readings.get("c")?.value.size).equal(1);
    should(scene.answers.readings.get("text")?.value.size).equal(0);
  });

  it("knows nothing of a channel that does not exist, and creates none", async () => {
    const { client, calls } = service([{ watcher_id: "a" }]);
    const scene = await sceneFor(client, { label: "orders" });
    await askWatchers(scene, signal);
    should(calls.lists).equal(0);
    should(scene.answers.channels.get(channelKey(SERVICE, "orders"))).be.undefined();
  });
});
