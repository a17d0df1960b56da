import should from "should";
import { type Hex, numberToHex, pad } from "viem";
import type {
  EventEnvelope,
  Query,
  VerifiableEvent,
  VerifiableResult,
  Watcher,
} from "../../src/protocol/index.ts";
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
import { type Api, signedText, startTestService, temporaryFolder } from "./support.ts";

const INVALID = "0xfe";
const SERVICES = ["dvp", "dta.v2"] as const;

describe("a contract that answers in odd ways", function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  let api: Api;
  let dispose: () => Promise<void>;
  let addresses = 0;

  const start = async () => {
    ({ api, dispose } = await startTestService({ dataDir: folder.path }));
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
  /** A contract with a watcher of the service, and what emits its first event. */
  const hostile = async (channelId: string, service: string, calls: Behaviour) => {
    addresses += 1;
    const address = pad(numberToHex(0xbad0000 + addresses), { size: 20 });
    const { topics, data } = emptyEvent(eventOf(service));
    await hostileContract(api, address, topics.length, calls);
    const watcher = await watch(channelId, { service, address, events: [eventOf(service).name] });
    return { address, watcher, emit: () => emitFrom(api, address, { topics, data }) };
  };
  const observed = (events: EventEnvelope[], level: string) =>
    events
      .filter((event) => event.headers.type === "watcher.event")
      .map((event) => signedText<VerifiableEvent>(event))
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

  it("delays none after a restart either", async () => {
    const channelId = await api.channel();
    const { emit } = await hostile(channelId, "dvp", INVALID);
    await emit();
    await dispose();
    await start();
    await emit();
    for (const of of await seen(channelId, 2)) should(of.length).equal(2);
  });

  it("is no token where its decimals end so, and the watcher says it", async () => {
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

  itWide("delays no watcher in any of these ways, under each service", async () => {
    const plain = await api.channel();
    await api.transferWatcher(plain);
    const channelId = await api.channel();
    const ways = Object.entries({ ...FAILURES, ...ODD_ANSWERS });
    let expected = 0;
    for (const [, calls] of ways) {
      for (const service of [...SERVICES, "sensor", "erc20"]) {
        const { watcher, emit } = await hostile(channelId, service, calls);
        await emit();
        if (watcher.status === "active" && service !== "sensor") expected += 1;
      }
      await faucet();
    }
    should(expected).be.aboveOrEqual(2 * ways.length);
    for (const of of await seen(plain, ways.length)) should(of.length).equal(ways.length);
    for (const of of await seen(channelId, expected)) should(of.length).be.aboveOrEqual(expected);
  });
});
