import should from "should";
import { concatHex, type Hex, numberToHex, pad, size } from "viem";
import type {
  EventEnvelope,
  Query,
  VerifiableEvent,
  VerifiableResult,
  Watcher,
} from "../../src/protocol/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import { sized } from "../../test/support/variants.ts";
import { itWide } from "../../test/support/wide.ts";
import { WATCHER_SERVICES } from "../src/lifecycles/watcher-services/index.ts";
import {
  type Behaviour,
  emitFrom,
  emptyEvent,
  FAILURES,
  hostileContract,
  ODD_ANSWERS,
} from "./hostile-contract.ts";
import { type Api, logTo, signedText, startTestService, temporaryFolder } from "./support.ts";
import { rpc } from "./transactions.ts";

const INVALID = "0xfe";
const SERVICES = ["dvp", "dta.v2"] as const;

/** Logs of each contract beside the token, which has 700 in a block. */
const FEWER = sized(20, 700);
/** The services under which the contract of this index is watched: two in turn, and all with all variants. */
const servicesFor = (index: number) =>
  [...SERVICES, "sensor", "erc20"].filter((_service, number) => sized(number % 2 === index % 2, true));

const OP_STOP = "0x00";
const LISTED = {
  ...({ type: "event", name: "E" } as const),
  inputs: [{ name: "list", type: "bytes[]", internalType: "bytes[]", indexed: false }],
};
const LARGE = {
  ...({ type: "event", name: "F" } as const),
  inputs: [{ name: "data", type: "bytes", internalType: "bytes", indexed: false }],
};
const word = (value: number) => numberToHex(value, { size: 32 });
/** A list of bytes in which each pointer leads to the same zeros. */
const overlapping = (pointers: number, zeros: number) => {
  const each = Array.from({ length: pointers }, () => word(32 * pointers));
  const data = concatHex([word(32), word(pointers), ...each, word(zeros)]);
  return { data, bytes: size(data) + zeros };
};

describe("a contract that answers in odd ways", function () {
  this.timeout(300_000);
  const folder = temporaryFolder();
  let api: Api;
  let dispose: () => Promise<void>;
  let addresses = 0;
  const lines: string[] = [];

  const start = async () => {
    const log = logTo((line) => lines.push(line));
    ({ api, dispose } = await startTestService({ dataDir: folder.path, log }));
  };
  before(start);
  after(async () => {
    await dispose();
    folder.dispose();
  });

  const watch = async (channelId: string, change: object) => {
    const { watcher_id } = await api.ok<Watcher>("POST", `/channels/${channelId}/watchers`, {
      name: `watcher ${Math.random()}`,
      chain_selector: api.ready.chain_selector,
      ...change,
    });
    return await api.until<Watcher>(`/channels/${channelId}/watchers/${watcher_id}`, "active", "failed");
  };
  const eventOf = (service: string) => {
    const [event] = WATCHER_SERVICES[service]?.events ?? [];
    if (event === undefined) throw new Error(`There is no event of ${service}.`);
    return event;
  };
  const nextAddress = () => {
    addresses += 1;
    return pad(numberToHex(0xbad0000 + addresses), { size: 20 });
  };
  /** A contract with a watcher of the service, and what emits its first event. */
  const hostile = async (channelId: string, service: string, calls: Behaviour) => {
    const address = nextAddress();
    const event = emptyEvent(eventOf(service));
    await hostileContract(api, address, event.topics.length, calls);
    const watcher = await watch(channelId, { service, address, events: [eventOf(service).name] });
    return { address, watcher, event, emit: () => emitFrom(api, address, event) };
  };
  /** There are thousands, and each look sees those of the looks before. */
  const decoded = new WeakMap<EventEnvelope, VerifiableEvent>();
  const decode = (event: EventEnvelope) => {
    const found = decoded.get(event) ?? signedText<VerifiableEvent>(event);
    decoded.set(event, found);
    return found;
  };
  const observed = (events: EventEnvelope[], level: string) =>
    events
      .filter((event) => event.headers.type === "watcher.event")
      .map(decode)
      .filter(({ chain_event }) => chain_event?.confidence === level);
  /** The transactions of the watcher's events, at both levels, once there are so many. */
  const seen = async (channelId: string, count: number) => {
    const levels = ["latest", "finalized"];
    const events = await api.eventsUntil(channelId, (all) =>
      levels.every((level) => observed(all, level).length >= count),
    );
    return levels.map((level) => observed(events, level));
  };
  const faucet = () =>
    api.ok<{ tx_hash: string }>("POST", "/local/faucet", { to: pad("0xa7", { size: 20 }) });

  it("is reported without what it does not tell, and delays no watcher", async () => {
    const plain = await api.channel();
    await api.transferWatcher(plain);
    const channelId = await api.channel();
    for (const service of SERVICES) {
      const { watcher, emit } = await hostile(channelId, service, INVALID);
      should(watcher.status).equal("active");
      await emit();
    }
    await faucet();
    for (const of of await seen(channelId, 2)) {
      should(of.map(({ service }) => service)).eql([...SERVICES]);
      should(of[0]?.data).not.have.property("dvp");
      should(of[1]?.data).eql({ type: "reference_data", value: {} });
    }
    await seen(plain, 1);
    // Neither at a watcher that comes later.
    await api.transferWatcher(await api.channel());
  });

  itWide("delays none after a restart either", async () => {
    const channelId = await api.channel();
    const { emit } = await hostile(channelId, "dvp", INVALID);
    await emit();
    await dispose();
    await start();
    await emit();
    for (const of of await seen(channelId, 2)) should(of.length).equal(2);
  });

  itWide("delays others by a few seconds at most where its calls use up all gas", async () => {
    const plain = await api.channel();
    await api.transferWatcher(plain);
    const channelId = await api.channel();
    const { address, event } = await hostile(channelId, "dvp", FAILURES["all gas"] ?? "0x");
    // Without a bound they take more than a minute.
    await emitFrom(api, address, { ...event, count: 100 });
    const started = performance.now();
    await faucet();
    await seen(plain, 1);
    should(performance.now() - started).be.below(30_000);
    for (const of of await seen(channelId, 100)) should(of.length).equal(100);
  });

  it("costs nothing by data that overlaps: that log is skipped, with a line in the log", async () => {
    const channelId = await api.channel();
    await api.transferWatcher(channelId);
    for (const pointers of [500, 3_500]) {
      const address = nextAddress();
      await hostileContract(api, address, 1, OP_STOP);
      const abi = [{ ...LISTED, anonymous: false }];
      const watcher = await watch(channelId, { address, events: ["E"], abi });
      const event = emptyEvent(LISTED);
      const hash = await emitFrom(api, address, { ...event, ...overlapping(pointers, 100_000) });
      await emitFrom(api, address, { ...event, data: concatHex([word(32), word(0)]) });
      const path = `/channels/${channelId}/watchers/${watcher.watcher_id}`;
      await eventually("the line", () => lines.some((line) => line.includes(hash)));
      should((await api.ok<Watcher>("GET", path)).status).equal("active");
    }
    await faucet();
    for (const of of await seen(channelId, 3)) should(of.map(({ name }) => name)).eql(["E", "E", "Transfer"]);
  });

  itWide("is no token where its decimals end so, and the watcher says it", async () => {
    const channelId = await api.channel();
    const { watcher } = await hostile(channelId, "erc20", INVALID);
    should(watcher.status).equal("failed");
    const last = (await api.events(channelId)).at(-1);
    should(String(last?.payload.status_reason)).match(/has no decimals function that answers/);
  });

  it("makes a query of it CALL_REVERTED, with data only where the node gave some", async () => {
    const channelId = await api.channel();
    const query = async (address: Hex) => {
      const { query_id } = await api.ok<Query>("POST", `/channels/${channelId}/queries`, {
        chain_selector: api.ready.chain_selector,
        ...{ query_kind: "evm_call", idempotency_key: `key ${Math.random()}` },
        params: {
          from_address: pad("0x01", { size: 20 }),
          ...{ contract_address: address, call_data: "0x313ce567", block_selection: { type: "latest" } },
        },
      });
      await api.until<Query>(`/channels/${channelId}/queries/${query_id}`, "failed");
      const events = await api.eventsUntil(channelId, (all) =>
        all.some(({ payload }) => payload.query_id === query_id && payload.verifiable_result !== undefined),
      );
      return signedText<VerifiableResult>(events.at(-1)).data.error;
    };
    const failing = await hostile(channelId, "dvp", INVALID);
    should(await query(failing.address)).eql({
      code: "CALL_REVERTED",
      message: "the contract's code failed: EVM error InvalidFEOpcode",
    });
    const reverting = await hostile(channelId, "dvp", FAILURES["a revert without data"] ?? "0x");
    should(await query(reverting.address)).containEql({ code: "CALL_REVERTED", raw_revert_data: "0x" });
  });

  itWide("is reported with its large logs, and what comes after them is", async () => {
    const channelId = await api.channel();
    const address = nextAddress();
    await hostileContract(api, address, 1, OP_STOP);
    const abi = [{ ...LARGE, anonymous: false }];
    await watch(channelId, { address, events: ["F"], abi });
    const size = 900_000;
    const event = { ...emptyEvent(LARGE), data: concatHex([word(32), word(size - 64)]), bytes: size };
    for (let count = 0; count < 10; count += 1) await emitFrom(api, address, event);
    const path = `/channels/${channelId}/events?limit=1&offset=`;
    // The two statuses of the watcher come first. A page of all of them would be a large answer.
    const isThere = async () => (await api.ok<{ events: unknown[] }>("GET", `${path}22`)).events.length === 1;
    await eventually("all of them at both levels", isThere);
    await api.transferWatcher(channelId);
    await faucet();
    const transfer = async () =>
      (await api.ok<{ events: unknown[] }>("GET", `${path}26`)).events.length === 1;
    await eventually("a transfer after them, at both levels", transfer);
  });

  itWide("that is gone is reported as it was, and 700 logs of a block are", async () => {
    const channelId = await api.channel();
    const plain = await api.channel();
    await api.transferWatcher(plain);
    for (const service of ["dvp", "dta.v2", "sensor", "erc20"]) {
      // Its decimals are 18.
      const { address, watcher, event } = await hostile(channelId, service, "0x601260005260206000f3");
      should(watcher.status).equal("active");
      const count = service === "erc20" ? 700 : FEWER;
      await emitFrom(api, address, { ...event, count });
      await rpc(api, "anvil_setCode", [address, "0x"]);
    }
    await faucet();
    await seen(plain, 1);
    await dispose();
    await start();
    await faucet();
    for (const of of await seen(plain, 2)) should(of.length).equal(2);
    for (const of of await seen(channelId, 700 + 2 * FEWER)) {
      const tokens = of.filter(({ service }) => service === "erc20");
      should(new Set(tokens.map(({ data }) => data?.decimals))).eql(new Set([18]));
    }
  });

  itWide("delays no watcher in any of these ways, under each service", async () => {
    const plain = await api.channel();
    await api.transferWatcher(plain);
    const channelId = await api.channel();
    const ways = Object.entries({ ...FAILURES, ...ODD_ANSWERS });
    let expected = 0;
    // All are made at the same time, because most of it is waiting.
    const made = await Promise.all(
      ways.map(([, calls], index) =>
        Promise.all(
          servicesFor(index).map(async (service) => ({
            service,
            ...(await hostile(channelId, service, calls)),
          })),
        ),
      ),
    );
    for (const contracts of made) {
      for (const { service, watcher, emit } of contracts) {
        await emit();
        if (watcher.status === "active" && service !== "sensor") expected += 1;
      }
      await faucet();
    }
    should(expected).be.aboveOrEqual(sized(1, 2) * ways.length);
    for (const of of await seen(plain, ways.length)) should(of.length).equal(ways.length);
    for (const of of await seen(channelId, expected)) should(of.length).be.aboveOrEqual(expected);
  });
});
