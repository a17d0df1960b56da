import should from "should";
import {
  concatHex,
  encodeAbiParameters,
  type Hex,
  keccak256,
  numberToHex,
  pad,
  stringToBytes,
  toHex,
} from "viem";
import { completeFragment, logParams, parseAbi, signatureHash, signatureOf } from "../../src/abi/index.ts";
import { decodeEvent } from "../../src/proofs/index.ts";
import type { EventEnvelope, EventFragment, VerifiableEvent, Watcher } from "../../src/protocol/index.ts";
import { type Api, logTo, signedText, startTestService } from "./support.ts";
import { mined, rpc, sendFrom } from "./transactions.ts";

describe("parameters in the events of watchers", function () {
  this.timeout(120_000);
  let api: Api;
  let dispose: () => Promise<void>;
  const lines: string[] = [];
  /** Contracts that log what they are called with: the one at `n` takes n topics first, and then the data. */
  const emitters: string[] = [];

  before(async () => {
    ({ api, dispose } = await startTestService({ log: logTo((line) => lines.push(line)) }));
    for (let topics = 0; topics <= 4; topics += 1) {
      const hash = await rpc<string>(api, "eth_sendTransaction", [
        { from: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", gas: "0x7a1200", data: emitterCode(topics) },
      ]);
      emitters.push((await mined(api, hash)).contractAddress);
    }
  });
  after(() => dispose());

  const fragments = (...lines: string[]) =>
    (parseAbi(lines.join("\n")) as EventFragment[]).map(completeFragment);
  const watch = async (
    channelId: string,
    topics: number,
    abi: EventFragment[],
    events = abi.map(({ name }) => name),
  ) => {
    const { watcher_id } = await api.ok<Watcher>("POST", `/channels/${channelId}/watchers`, {
      name: `on ${topics} topics`,
      chain_selector: api.ready.chain_selector,
      address: emitters[topics],
      events,
      abi,
    });
    return await api.until<Watcher>(`/channels/${channelId}/watchers/${watcher_id}`, "active");
  };
  const emit = (topics: Hex[], data: Hex) =>
    sendFrom(api, { to: emitters[topics.length] ?? "", data: concatHex([...topics, data]) });
  const latest = (events: EventEnvelope[]) =>
    events.filter(
      (event) =>
        event.headers.type === "watcher.event" &&
        signedText<VerifiableEvent>(event).chain_event?.confidence === "latest",
    );
  const observed = async (channelId: string, count: number) =>
    latest(await api.eventsUntil(channelId, (all) => latest(all).length >= count));
  const topicOf = (fragment: EventFragment | undefined) =>
    fragment === undefined ? "0x" : signatureHash(signatureOf(fragment));

  it("include tuples, arrays, small and large integers, and indexed values of variable size", async () => {
    const channelId = await api.channel();
    const [event] = fragments(
      "event Shipment(string indexed trackingId, (uint8 kind, bytes32 batchRef, (address keeper, int64[] degrees)[] legs) cargoInfo, uint64 weightInGrams, uint256[2] bounds, bytes payload)",
    );
    if (event === undefined) return;
    await watch(channelId, 2, [event]);
    const keeper = "0x00000000000000000000000000000000000000B8";
    const reference = keccak256("0x07");
    const topics: Hex[] = [topicOf(event), keccak256(stringToBytes("T-1"))];
    const data = encodeAbiParameters(
      event.inputs.slice(1) as never,
      [
        {
          kind: 3,
          batchRef: reference,
          legs: [
            { keeper, degrees: [-5n, 2n ** 62n] },
            { keeper, degrees: [] },
          ],
        },
        2n ** 63n + 1n,
        [1n, 2n ** 255n],
        "0xbeef",
      ] as never,
    );
    await emit(topics, data);
    const [told] = await observed(channelId, 1);
    if (told === undefined) return;
    const text = Buffer.from(String(told.payload.verifiable_event), "base64").toString();
    text.should
      .match(/"weight_in_grams":9223372036854775809[,}]/)
      .and.containEql(`"bounds":[1,${2n ** 255n}]`)
      .and.match(/"degrees":\[-5,4611686018427387904\]/);
    const { chain_event } = signedText<VerifiableEvent>(told);
    should(chain_event?.topic_hash).equal(topics[0]);
    should(chain_event?.params).containDeep({
      tracking_id: topics[1],
      cargo_info: { kind: 3, legs: [{ keeper: keeper.toLowerCase() }, { degrees: [] }] },
      payload: "0xbeef",
    });
    should((decodeEvent(told, [event]) as { params?: unknown }).params).containDeep({
      weightInGrams: String(2n ** 63n + 1n),
      cargoInfo: { kind: "3", batchRef: reference },
    });
    should(JSON.stringify(logParams(event, { topics, data }))).equal(JSON.stringify(logParamsOf(text)));
  });

  it("are decoded for anonymous events by their number of topics", async () => {
    const channelId = await api.channel();
    const abi = fragments(
      "event Named(uint256 amount)",
      "event Other(uint256 amount)",
      "event Ping(bytes32 indexed id, string note) anonymous",
    );
    const [named, other] = abi;
    await watch(channelId, 1, abi, ["Named", "Ping"]);
    const number = encodeAbiParameters([{ type: "uint256" }], [5n]);
    await emit([pad("0xaa", { size: 32 })], encodeAbiParameters([{ type: "string" }], ["hello"]));
    await emit([topicOf(other)], number);
    // Of no shape that the ABI has.
    await emit([pad("0xbb", { size: 32 })], "0x1234");
    // Written by another event: it decodes as text, and more follows.
    const text = encodeAbiParameters([{ type: "string" }], ["hello"]);
    await emit([pad("0xcc", { size: 32 })], `${text}${"00".repeat(32)}`);
    await emit([topicOf(named)], number);
    const told = (await observed(channelId, 2)).map((event) => signedText<VerifiableEvent>(event));
    told
      .map(({ name, chain_event }) => [name, chain_event?.params])
      .should.eql([
        ["Ping", { id: pad("0xaa", { size: 32 }), note: "hello" }],
        ["Named", { amount: "5" }],
      ]);
    should(told[0]?.chain_event?.topic_hash).equal(topicOf(abi[2]));
    should(told[0]?.chain_event?.event_signature).equal("Ping(bytes32,string)");
  });

  it("are skipped where they do not fit the watcher's ABI, with a line in the log and on the start page", async () => {
    const channelId = await api.channel();
    // As of a token whose third value is indexed: the same signature, another shape.
    const [wrong] = fragments("event Moved(address indexed from, uint256 id)");
    const [right] = fragments("event Moved(address indexed from, uint256 indexed id)");
    if (wrong === undefined || right === undefined) return;
    const misled = await watch(channelId, 3, [
      wrong,
      ...fragments("event Other(address indexed a, uint8 indexed b)"),
    ]);
    const other = await api.channel();
    await watch(other, 3, [right]);
    const page = async () => (await fetch(api.ready.base_url)).text();
    const before = Number(/(\d+) logs? of (?:a contract|contracts) w/.exec(await page())?.[1] ?? 0);
    const of = (fragment: EventFragment) => [
      topicOf(fragment),
      pad("0x01", { size: 32 }),
      toHex(9n, { size: 32 }),
    ];
    await emit(of(right), "0x");
    await emit(of(fragments("event Other(address indexed a, uint8 indexed b)")[0] ?? right), "0x");
    should((await observed(other, 1)).length).equal(1);
    // What comes after it is reported, and the watcher goes on.
    const [told] = await observed(channelId, 1);
    should(signedText<VerifiableEvent>(told).name).equal("Other");
    const path = `/channels/${channelId}/watchers/${misled.watcher_id}`;
    should((await api.ok<Watcher>("GET", path)).status).equal("active");
    const said = lines.filter((line) => line.includes(misled.watcher_id));
    should(said.length).equal(1);
    should(said[0]).match(
      /skips log \d+ of block \d+, transaction 0x[0-9a-f]{64}: .*Moved\(address,uint256\).*2 indexed values, not 1/,
    );
    should(await page()).match(new RegExp(`${before + 1} logs? of (?:a contract|contracts) w`));
  });
});

/** The parameters in a signed text, without a number in them rounded. */
function logParamsOf(text: string): unknown {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  const keep = (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === "number" && context?.source !== undefined ? rawJSON(context.source) : value;
  const { chain_event } = JSON.parse(text, keep) as { chain_event: { params: unknown } };
  return chain_event.params;
}

/** Creation code of an emitter; what it runs copies the data behind the topics and logs it with them. */
function emitterCode(topics: number): Hex {
  const byte = (value: number) => numberToHex(value, { size: 1 });
  const push = (value: number) => concatHex(["0x60", byte(value)]);
  const [SIZE, LOAD, COPY, MINUS, STOP] = ["0x36", "0x35", "0x37", "0x03", "0x00"] as const;
  const dataSize = concatHex([push(32 * topics), SIZE, MINUS]);
  const loads = Array.from({ length: topics }, (_, index) =>
    concatHex([push(32 * (topics - 1 - index)), LOAD]),
  );
  const runtime = concatHex([
    ...[dataSize, push(32 * topics), push(0), COPY],
    ...loads,
    ...[dataSize, push(0), byte(0xa0 + topics), STOP],
  ]);
  const length = (runtime.length - 2) / 2;
  return concatHex([push(length), "0x80", push(11), push(0), "0x39", push(0), "0xf3", runtime]);
}
