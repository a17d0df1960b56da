import should from "should";
import { watcherReadings } from "../../../nodes/common/contracts/event-readings.ts";
import { channelKey, type ListedWatcher } from "../../../plugins/monitor/issues/answer-cache.ts";
import type { CheckContext } from "../../../plugins/monitor/issues/check-context.ts";
import { watcherAbi } from "../../../plugins/monitor/issues/checks/contradictions.ts";
import { acceptedWatcher } from "../../../plugins/monitor/issues/checks/watchers.ts";
import * as library from "../../../src/index.ts";
import { CHANNEL, found, node, runningChannel, SERVICE, sceneOf, TAB } from "./scene.ts";

const TOKEN = "0xAb00000000000000000000000000000000000001";
const TRUE = "event Transfer(address indexed from, address indexed to, uint256 value)";
const SWAPPED = "event Transfer(address indexed to, address indexed from, uint256 value)";

/** The workflow id of a watcher. */
const workflowOf = (id: string) => id.padEnd(64, "0");
const [A, B, C] = ["a", "b", "c"].map(workflowOf);

type Known = { id: string; abi?: string; properties?: Partial<ListedWatcher> };

/** As the service was asked: watchers in the order in which they were made. */
function know(
  scene: CheckContext,
  known: readonly Known[],
  { isWhole = true, channel = "payments" } = {},
): CheckContext {
  const watchers = known.map(({ id, properties }, index) => ({
    ...{ id, name: `watcher ${id}`, chainSelector: "1", address: TOKEN, workflowId: workflowOf(id) },
    ...{ createdAt: index, ...properties },
  }));
  scene.answers.channels.set(channelKey(SERVICE, channel), { watchers, isWhole });
  for (const { id, abi } of known) {
    if (abi) scene.answers.readings.set(id, watcherReadings({ abi: library.parseAbi(abi) as [] }, library));
  }
  return scene;
}

const verify = (id: string, accepted?: string, more: Record<string, unknown> = {}) =>
  node("crec-verify-event", id, { connection: "connection", acceptWatchers: accepted, ...more });
const events = (accepted?: string, more: Record<string, unknown> = {}) =>
  node("crec-events-in", "events", { channel: "channel", acceptWatchers: accepted, ...more });

/** `abi`: of a contract node that the flow uses. */
async function sceneWith(
  nodes: Array<ReturnType<typeof node>>,
  { abi, env = {}, address = TOKEN }: { abi?: string; env?: Record<string, string>; address?: string } = {},
): Promise<CheckContext> {
  const contract = {
    ...{ address, chainSelector: "1", problem: undefined },
    abi: async () => library.parseAbi(abi ?? ""),
  };
  const uses = abi === undefined ? [] : [verify("user", undefined, { contract: "contract" })];
  const own = { id: "contract", type: "crec-contract", name: "token" };
  const running = { ...runningChannel(), contract: { contract } };
  const ids = Object.fromEntries(nodes.map(({ id }) => [id, {}]));
  return sceneOf({ nodes: [TAB, ...CHANNEL, own, ...nodes, ...uses], running: { ...ids, ...running }, env });
}

describe("the check for watchers that read one event differently", () => {
  const two = [
    { id: "a", abi: TRUE },
    { id: "b", abi: SWAPPED },
  ];

  it("names two watchers of one contract, and nothing before the service was asked", async () => {
    const scene = await sceneWith([events()]);
    should(await found(watcherAbi, scene)).be.empty();
    const [finding, ...others] = await watcherAbi.find(know(scene, two));
    should(others).be.empty();
    should(finding).match({ case: "watchers", severity: "error", origin: { node: "channel" } });
    should(finding?.values).match({
      ...{ watcher: "watcher a", other: "watcher b", address: TOKEN },
      reading: "Transfer(address indexed from, address indexed to, uint256 value)",
      otherReading: "Transfer(address indexed to, address indexed from, uint256 value)",
    });
  });

  it("names each that differs from the oldest", async () => {
    const scene = await sceneWith([events()]);
    know(scene, [...two, { id: "c", abi: TRUE }, { id: "d", abi: SWAPPED }]);
    should(await found(watcherAbi, scene)).deepEqual(["watchers channel a:b", "watchers channel a:d"]);
    should(await watcherAbi.find(scene)).have.length(2);
  });

  it("tells two of one name in different channels apart by their ids", async () => {
    const other = { id: "other", type: "crec-channel", connection: "connection" };
    const scene = await sceneWith([events(), node("crec-events-in", "more", { channel: "other" }), other]);
    const { channel } = runningChannel().channel as { channel: object };
    Object.assign(scene.RED.nodes, {
      getNode: (id: string) =>
        id === "other" ? { channel: { ...channel, label: "orders" } } : (runningChannel()[id] ?? null),
    });
    const name = { properties: { name: "transfers" } };
    know(scene, [{ id: "a", abi: TRUE, ...name }]);
    know(scene, [{ id: "b", abi: SWAPPED, ...name }], { channel: "orders" });
    const [finding] = await watcherAbi.find(scene);
    should(finding).match({ origin: { node: "other" }, values: { watcher: "a", other: "b" } });
  });

  it("finds nothing where they read alike, or are on different contracts or networks, or not known", async () => {
    for (const second of [
      { id: "b", abi: TRUE },
      { id: "b", abi: "event Transfer(address to, address from, uint128 value)" },
      { id: "b", abi: SWAPPED, properties: { address: TOKEN.replace("1", "2") } },
      { id: "b", abi: SWAPPED, properties: { chainSelector: "2" } },
      { id: "b" },
    ])
      should(
        await found(watcherAbi, know(await sceneWith([events()]), [{ id: "a", abi: TRUE }, second])),
      ).be.empty();
    const lower = { id: "b", abi: SWAPPED, properties: { address: TOKEN.toLowerCase() } };
    should(
      await found(watcherAbi, know(await sceneWith([events()]), [{ id: "a", abi: TRUE }, lower])),
    ).have.length(1);
  });

  it("ends once each node that verifies accepts one of them only", async () => {
    const findIn = async (...nodes: Array<ReturnType<typeof node>>) =>
      found(watcherAbi, know(await sceneWith(nodes, { env: { BOTH: `${A}, ${B}`, ONE: `0x${A}` } }), two));
    should(await findIn(events(A), verify("verify", B))).be.empty();
    should(await findIn(events(A), verify("verify"))).have.length(1);
    should(await findIn(events(`${A}, ${B}`))).have.length(1);
    should(await findIn(events(C))).be.empty();
    should(await findIn(events(JSON.stringify([A]), { acceptWatchersType: "json" }))).be.empty();
    should(await findIn(events("not JSON", { acceptWatchersType: "json" }))).have.length(1);
    should(await findIn(events("ONE", { acceptWatchersType: "env" }))).be.empty();
    should(await findIn(events("BOTH", { acceptWatchersType: "env" }))).have.length(1);
    should(await findIn(events("UNKNOWN", { acceptWatchersType: "env" }))).have.length(1);
    // It verifies nothing: the node behind it decides.
    should(await findIn(events(undefined, { verify: false }), verify("verify", A))).be.empty();
    should(await findIn(events(undefined, { verify: false }))).have.length(1);
  });

  it("names a watcher that differs from the contract node of its address", async () => {
    const scene = await sceneWith([events()], { abi: TRUE });
    const [finding, ...others] = await watcherAbi.find(know(scene, [{ id: "b", abi: SWAPPED }]));
    should(others).be.empty();
    should(finding).match({
      case: "contract",
      severity: "warning",
      origin: { node: "contract" },
      detail: "b",
    });
    should(finding?.values).match({
      ...{ watcher: "watcher b", contract: "token" },
      reading: "Transfer(address indexed from, address indexed to, uint256 value)",
      otherReading: "Transfer(address indexed to, address indexed from, uint256 value)",
    });
    should(await found(watcherAbi, know(scene, two))).deepEqual([
      "watchers channel a:b",
      "contract contract b",
    ]);
  });

  it("finds nothing where the contract node has that reading too, no such event, no ABI, or another address", async () => {
    const nft = "event Transfer(address indexed from, address indexed to, uint256 indexed value)";
    const findIn = async (given: Parameters<typeof sceneWith>[1], abi = TRUE) =>
      found(watcherAbi, know(await sceneWith([events()], given), [{ id: "a", abi }]));
    should(await findIn({ abi: `${nft}\n${TRUE}` })).be.empty();
    should(await findIn({ abi: "event Closed()" })).be.empty();
    should(await findIn({ abi: "{" })).be.empty();
    should(await findIn({ abi: SWAPPED, address: TOKEN.replace("1", "2") })).be.empty();
    should(await findIn({ abi: SWAPPED })).have.length(1);
  });

  it("lists at most 50, however many there are", async () => {
    const many = Array.from({ length: 500 }, (_, index) => ({ id: `b${index}`, abi: SWAPPED }));
    const scene = know(await sceneWith([events()]), [{ id: "a", abi: TRUE }, ...many]);
    should(await found(watcherAbi, scene)).have.length(50);
  });
});

describe("the check for accepted watchers", () => {
  it("finds a workflow id that no watcher of the channel states, and nothing before the service was asked", async () => {
    const scene = await sceneWith([events(`${A}, 0x${C?.toUpperCase()}`)]);
    should(await found(acceptedWatcher, scene)).be.empty();
    know(scene, [{ id: "a" }, { id: "b" }]);
    const [finding, ...others] = await acceptedWatcher.find(scene);
    should(others).be.empty();
    should(finding).match({ case: "channel", severity: "error", origin: { node: "events" }, detail: C });
    should(finding?.values).match({ workflow: C, channel: "payments" });
    should(await found(acceptedWatcher, know(scene, [{ id: "a" }, { id: "c" }]))).be.empty();
  });

  it("looks for that of verify event in its channel, or without one in all that are used", async () => {
    const findIn = async (properties: Record<string, unknown>) =>
      found(
        acceptedWatcher,
        know(await sceneWith([events(), verify("verify", C, properties)]), [{ id: "a" }]),
      );
    should(await findIn({ channel: "channel" })).deepEqual([`channel verify ${C}`]);
    should(await findIn({})).deepEqual([`any-channel verify ${C}`]);
    should(await findIn({ channel: "${CHANNEL}" })).be.empty();
  });

  it("finds nothing where not all is known", async () => {
    const scene = async (...nodes: Array<ReturnType<typeof node>>) => sceneWith(nodes);
    const none = { workflowId: undefined };
    should(
      await found(acceptedWatcher, know(await scene(events(C)), [{ id: "a" }], { isWhole: false })),
    ).be.empty();
    should(
      await found(acceptedWatcher, know(await scene(events(C)), [{ id: "a", properties: none }])),
    ).be.empty();
    should(await found(acceptedWatcher, know(await scene(events(C)), []))).have.length(1);
    for (const accepted of [undefined, "", "not an id"])
      should(await found(acceptedWatcher, know(await scene(events(accepted)), [{ id: "a" }]))).be.empty();
    const unset = events("UNSET", { acceptWatchersType: "env" });
    should(await found(acceptedWatcher, know(await scene(unset), [{ id: "a" }]))).be.empty();
    should(
      await found(acceptedWatcher, know(await scene(events(C, { verify: false })), [{ id: "a" }])),
    ).be.empty();
  });
});
