import should from "should";
import { verifyEvent } from "../../src/proofs/index.ts";
import type { ChannelEvent, VerifiableEvent, WatcherEvent } from "../../src/protocol/index.ts";
import { sized } from "../../test/support/variants.ts";
import { itWide } from "../../test/support/wide.ts";
import type { EventFile } from "../src/scenarios/event-file.ts";
import { SCENARIO_NAMES, type ScenarioName } from "../src/scenarios/stories.ts";
import { type Api, signedText, startTestService } from "./support.ts";

const OTHER_SEEDS = sized([2], [2, 3]);
const HOUR = 3600;

/** A test with one seed, and with others in the wide tests. */
function itForSeeds(title: string, test: (seed: number) => Promise<void>): void {
  it(title, () => test(1));
  itWide(`${title}, for other seeds`, async () => {
    for (const seed of OTHER_SEEDS) await test(seed);
  });
}

type Log = {
  params: Readonly<Record<string, unknown>>;
  tx_hash: string;
  confidence: string;
  block_number: number;
  block_timestamp: number;
};

describe("the scenarios of the local service", function () {
  this.timeout(300_000);
  let api: Api;
  let dispose: () => Promise<void>;
  const texts = new Map<string, string>();
  const files = new Map<string, EventFile>();

  before(async () => {
    ({ api, dispose } = await startTestService());
  });
  after(() => dispose());

  const textOf = async (query: string): Promise<string> => {
    const { base_url, api_key } = api.ready;
    const headers = { authorization: `Apikey ${api_key}` };
    return await (await fetch(`${base_url}/local/scenarios/${query}`, { headers })).text();
  };
  /** To make one takes about a second. */
  const knownText = async (query: string): Promise<string> => {
    const known = texts.get(query) ?? (await textOf(query));
    texts.set(query, known);
    return known;
  };
  const fileOf = async (name: ScenarioName, seed: number): Promise<EventFile> => {
    const key = `${name}?seed=${seed}`;
    const known = files.get(key) ?? (JSON.parse(await knownText(key)) as EventFile);
    files.set(key, known);
    return known;
  };
  const isLabelled = ({ scenario }: EventFile, { headers }: ChannelEvent) =>
    scenario.labels[headers.offset] !== undefined;
  const logOf = (event: ChannelEvent) => signedText<VerifiableEvent>(event).chain_event as Log;
  const nameOf = (event: ChannelEvent) => signedText<VerifiableEvent>(event).name;
  const tokensOf = (event: ChannelEvent) =>
    Number(BigInt(String(logOf(event).params.value)) / 10n ** 14n) / 1e4;
  const isAt = (confidence: string) => (event: ChannelEvent) => logOf(event).confidence === confidence;
  const labelledAt = (file: EventFile, confidence: string) =>
    file.events.filter((event) => isLabelled(file, event)).filter(isAt(confidence));
  const timesOf = (events: readonly ChannelEvent[]) => events.map((event) => logOf(event).block_timestamp);
  const longestGap = (times: readonly number[]) =>
    Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)));
  const verdictOf = async (event: ChannelEvent, { verification }: EventFile) => {
    const verdict = await verifyEvent(event, verification);
    return verdict.verified ? "verified" : verdict.reason;
  };

  it("are listed, each with what happens", async () => {
    const { scenarios } = await api.ok<{ scenarios: Array<{ name: string; text: string; method: string }> }>(
      "GET",
      "/local/scenarios",
    );
    should(scenarios.map(({ name }) => name)).eql([...SCENARIO_NAMES, "reorg"]);
    for (const { text } of scenarios) should(text.length).be.above(40);
    should(scenarios.filter(({ method }) => method === "POST").map(({ name }) => name)).eql(["reorg"]);
  });

  const areTheSame = async (name: ScenarioName) => {
    const [first, again, other] = [
      await textOf(`${name}?seed=7`),
      await textOf(`${name}?seed=7`),
      await textOf(`${name}?seed=8`),
    ];
    should(again === first).be.true(name);
    should(other === first).be.false(name);
  };
  it("are the same for a seed, byte for byte, and others for another seed", () => areTheSame("role"));
  itWide("are the same for a seed, each of them but the burst", async () => {
    for (const name of SCENARIO_NAMES) {
      const query = `${name}?seed=${OTHER_SEEDS[0]}`;
      if (name !== "burst") should((await textOf(query)) === (await knownText(query))).be.true(name);
    }
  });

  const isProven = async (name: ScenarioName, seed: number) => {
    const file = await fileOf(name, seed);
    const { events, snapshot, scenario, verification } = file;
    should(scenario).containEql({ name, seed });
    should(verification.validSigners).eql(api.ready.valid_signers);
    should(events.map(({ headers }) => headers.offset)).eql(events.map((_, index) => index + 1));
    const times = events.map(({ created_at }) => created_at ?? 0);
    should(times).eql(times.toSorted((one, other) => one - other));
    should(times.at(-1)).be.belowOrEqual(Date.UTC(2026, 0, 1) / 1000);
    should(new Set(events.map(({ event_id }) => event_id)).size).equal(events.length);
    const [own] = snapshot.channels;
    should(own?.channel).containEql({ channel_id: file.channel.id, name: "quickstart" });
    const known = own?.watchers.map(({ watcher_id }) => watcher_id);
    for (const { payload, channel_id } of events as WatcherEvent[]) {
      should(known).containEql(payload.watcher_id);
      should(channel_id).equal(file.channel.id);
    }
    const labelled = events.filter((event) => isLabelled(file, event));
    should(labelled.length).equal(Object.keys(scenario.labels).length);
    should(labelled.length).be.above(0).and.below(events.length);
    const step = Math.ceil(events.length / 40);
    const some = events.filter((_, index) => index % step === 0);
    const verdicts = await Promise.all(some.map((event) => verdictOf(event, file)));
    should(new Set(verdicts)).eql(new Set(["verified"]));
  };
  for (const name of SCENARIO_NAMES) {
    // One test of 5,000 events is enough.
    const title = `${name}: has proven events of the past, in order, with labels`;
    if (name === "burst") itWide(title, () => isProven(name, 1));
    else itForSeeds(title, (seed) => isProven(name, seed));
  }

  it("reports each log at each level of the network, and the stronger one later", async () => {
    const { events } = await fileOf("role", 1);
    const levels = new Map<string, string[]>();
    for (const event of events) {
      const { tx_hash, confidence } = logOf(event);
      levels.set(tx_hash, [...(levels.get(tx_hash) ?? []), confidence]);
    }
    for (const found of levels.values()) should(found).eql(["latest", "finalized"]);
  });

  itForSeeds("drain: many parts of one wallet, each below the limit of the example", async (seed) => {
    const parts = labelledAt(await fileOf("drain", seed), "latest");
    should(parts.length).be.above(20);
    should(new Set(parts.map((part) => logOf(part).params.from)).size).equal(1);
    should(Math.max(...parts.map(tokensOf))).be.belowOrEqual(70);
    should(parts.map(tokensOf).reduce((sum, one) => sum + one, 0)).be.above(800);
  });

  itWide("mint: more than all ordinary mints, at once for some seeds and in parts for others", async () => {
    const parts = new Set<number>();
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const file = await fileOf("mint", seed);
      const minted = labelledAt(file, "latest");
      parts.add(minted.length);
      should(minted.map(tokensOf).reduce((sum, one) => sum + one, 0)).be.within(60_000, 120_001);
      should(longestGap([0, ...timesOf(minted)].slice(1).concat((timesOf(minted)[0] ?? 0) + 480))).be.below(
        600,
      );
    }
    should([...parts].sort()).eql([1, 3]);
  });

  it("role: a stranger takes over, after ordinary changes of roles", async () => {
    const file = await fileOf("role", 1);
    const taken = labelledAt(file, "latest").map(nameOf);
    should(taken.toSorted()).eql([
      ...["OwnershipTransferred", "RoleGranted", "RoleGranted", "RoleRevoked", "Upgraded"],
    ]);
    const ordinary = file.events.filter((event) => !isLabelled(file, event)).map(nameOf);
    should(ordinary).containDeep(["RoleGranted", "RoleRevoked", "Approval", "Transfer"]);
    should(ordinary).not.containEql("OwnershipTransferred");
  });

  itForSeeds("stale-price: the updates stop, and other events go on", async (seed) => {
    const file = await fileOf("stale-price", seed);
    const latest = file.events.filter(isAt("latest"));
    const updates = latest.filter((event) => nameOf(event) === "SensorReading");
    should(isLabelled(file, updates.at(-1) as ChannelEvent)).be.true();
    should(longestGap(timesOf(updates))).be.within(97, 299);
    const [end = 0, last = 0] = [timesOf(latest).at(-1), timesOf(updates).at(-1)];
    should(end - last).be.above(HOUR);
  });

  itWide("burst: 5,000 events within minutes", async () => {
    const file = await fileOf("burst", 1);
    const labelled = file.events.filter((event) => isLabelled(file, event));
    should(labelled.length).equal(5_000);
    const times = timesOf(labelled);
    should(Math.max(...times) - Math.min(...times)).be.below(300);
  });

  itForSeeds("silence: an hour without a transfer, after the one with the label", async (seed) => {
    const file = await fileOf("silence", seed);
    const times = timesOf(file.events.filter(isAt("latest")));
    const [last = 0] = timesOf(labelledAt(file, "latest"));
    const next = times.find((time) => time > last) ?? 0;
    should(next - last).be.within(HOUR, HOUR + 120);
    should(longestGap(times)).equal(next - last);
  });

  it("end at the time that is given, and refuse the future and other names", async () => {
    const until = 1_700_000_000;
    const { events } = JSON.parse(await textOf(`drain?seed=1&until=${until}`)) as EventFile;
    const last = events.at(-1)?.created_at ?? 0;
    should(last).be.within(until - HOUR, until);
    const tomorrow = Math.floor(Date.now() / 1000) + 86_400;
    for (const query of [`drain?until=${tomorrow}`, "drain?seed=-1", "drain?seed=x", "flood"]) {
      should((await api.call("GET", `/local/scenarios/${query}`)).status).equal(400, query);
    }
  });

  it("reorg: is recorded from the chain, where the block of a reported mint is replaced", async () => {
    const file = await api.ok<EventFile>("POST", "/local/scenarios/reorg", { seed: 5 });
    const proven = file.events.filter(({ headers }) => headers.type === "watcher.event");
    for (const event of proven) should(await verdictOf(event, file)).equal("verified");
    const [undone, ...others] = proven.filter((event) => isLabelled(file, event));
    should(others).be.empty();
    should(tokensOf(undone as ChannelEvent)).equal(60_000);
    const { tx_hash, block_number, confidence } = logOf(undone as ChannelEvent);
    should(confidence).equal("latest");
    // No report of it but the first, though later blocks are final.
    should(proven.filter((event) => logOf(event).tx_hash === tx_hash)).have.length(1);
    const final = proven.filter(isAt("finalized")).map((event) => logOf(event).block_number);
    should(Math.max(...final)).be.above(block_number);
    should(file.snapshot.channels[0]?.watchers[0]).containEql({ name: "guarded-token", status: "active" });
    const { status } = await api.ok("GET", `/channels/${file.channel.id}`);
    should(status).equal("archived");
  });
});
