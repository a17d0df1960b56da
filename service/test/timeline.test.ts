import should from "should";
import type { Operation, Watcher } from "../../src/protocol/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import { Store } from "../src/store/store.ts";
import { sequenceOf } from "../src/store/timeline.ts";
import type { TimelineEntry } from "../src/timeline/entry.ts";
import { EventSource } from "./event-source.ts";
import { type Api, CONFIRMED_PATH, startTestService, temporaryFolder } from "./support.ts";
import { useOperations } from "./use-operations.ts";

const RECEIVER = "0x00000000000000000000000000000000000000b2";

describe("the time line of the local service", function () {
  this.timeout(120_000);
  const { call, draft, path, submit, started } = useOperations();
  let api: Api;
  let channelId: string;
  let watcher: Watcher;
  const open: EventSource[] = [];

  before(async () => {
    ({ api, channelId } = started());
    watcher = await api.transferWatcher(channelId);
  });
  afterEach(() => {
    for (const source of open.splice(0)) source.close();
  });

  const listen = async (options?: Parameters<typeof EventSource.open>[1]) => {
    const source = await EventSource.open(api.ready.base_url, options);
    open.push(source);
    return source;
  };
  const newest = async (limit = 10) =>
    (await api.ok<{ entries: TimelineEntry[] }>("GET", `/local/timeline?limit=${limit}`)).entries;

  it("follows an operation on the chain and the event that it causes, while they happen", async () => {
    await api.ok("POST", "/local/faucet", { to: started().wallet.address, amount: "5000000000000000000" });
    const source = await listen();
    const { body } = await submit(
      draft([
        call("DemoToken", "transfer", [RECEIVER, 1_500_000_000_000_000_000n]),
        call("Counter", "increment", []),
        { to: RECEIVER, value: "0", data: "0x1234" },
        call("Counter", "increment", []),
      ]),
    );
    const steps = await source.until(
      ({ subject }) => subject === body.operation_id,
      (all) => all.at(-1)?.status === "confirmed",
    );
    should(steps.map(({ status }) => status)).eql(CONFIRMED_PATH);
    const { transaction_hash: hash, ...first } = steps.at(0) as TimelineEntry;
    should(hash).be.undefined();
    should(first).have.properties({ kind: "operation", channel_id: channelId, wallet: "test wallet" });
    should(first.calls).eql([
      { contract: "DemoToken", action: "transfer", amount: { value: "1.5", symbol: "DEMO" } },
      { contract: "Counter", action: "increment" },
      { contract: RECEIVER },
    ]);
    should(first.calls_total).equal(4);
    const last = steps.at(-1);
    should(last?.transaction_hash).match(/^0x[0-9a-f]{64}$/);
    should(last?.proof).eql({ signatures: 3, required: 3 });

    const levels = await source.until(
      ({ kind, transaction_hash }) => kind === "event" && transaction_hash === last?.transaction_hash,
      (all) => all.at(-1)?.status === "finalized",
    );
    should(levels.map(({ status }) => status)).eql(["latest", "finalized"]);
    should(new Set(levels.map(({ subject }) => subject)).size).equal(1);
    should(levels.at(0)).have.properties({
      ...{ name: "Transfer", watcher: watcher.name, contract: "DemoToken" },
      ...{ amount: { value: "1.5", symbol: "DEMO" }, proof: { signatures: 3, required: 3 } },
    });
    const stored = await api.events(channelId);
    should(stored.map(({ headers }) => headers.offset)).containDeep([last?.offset]);
  });

  it("shows a failed operation and a query with their reasons", async () => {
    const source = await listen();
    const failing = await submit(draft([call("Counter", "failWithReason", ["out of paper"])]));
    await api.until<Operation>(path(failing.body), "failed");
    const query = await api.ok<{ query_id: string }>("POST", `/channels/${channelId}/queries`, {
      ...{
        idempotency_key: "key of a query",
        query_kind: "evm_call",
        chain_selector: api.ready.chain_selector,
      },
      params: {
        ...{ contract_address: RECEIVER, call_data: "0x12345678" },
        block_selection: { type: "latest" },
      },
    });
    const [failed] = await source.until(
      ({ subject, status }) => subject === failing.body.operation_id && status === "failed",
      (all) => all.length > 0,
    );
    should(failed?.reason).equal("out of paper");
    const answered = await source.until(
      ({ subject }) => subject === query.query_id,
      (all) => all.at(-1)?.status === "failed",
    );
    should(answered.map(({ status }) => status)).eql(["accepted", "sending", "sent", "failed"]);
    should(answered.at(-1)?.reason).match(/no contract/i);
  });

  it("shows channels, and a wallet without a channel", async () => {
    const source = await listen();
    const created = await api.channel("to be renamed");
    await api.ok("PATCH", `/channels/${created}`, { name: "renamed" });
    await api.ok("PATCH", `/channels/${created}`, { status: "archived" });
    const wallet = await api.ok<{ wallet_id: string }>("POST", "/wallets", {
      ...{ name: "quiet wallet", wallet_owner_address: RECEIVER, chain_selector: api.ready.chain_selector },
      ...{ wallet_type: "ecdsa", allowed_ecdsa_signers: [RECEIVER] },
    });
    await api.until(`/wallets/${wallet.wallet_id}`, "deployed");
    const ofWallet = await source.until(
      ({ subject }) => subject === wallet.wallet_id,
      (all) => all.length === 3,
    );
    should(ofWallet.map(({ status }) => status)).eql(["pending", "deploying", "deployed"]);
    should(ofWallet.at(0)?.name).equal("quiet wallet");
    const ofChannel = source.entries.filter(({ subject }) => subject === created);
    should(ofChannel.map(({ name, status }) => `${name} ${status}`)).eql([
      "to be renamed active",
      "renamed active",
      "renamed archived",
    ]);
  });

  it("shows what a tester makes go wrong, and where it applied", async () => {
    const source = await listen();
    await api.ok("POST", "/local/faults", { action: "status", status: 429, match: { path: "/networks" } });
    await api.call("GET", "/networks");
    await api.ok("DELETE", "/local/faults");
    await api.ok("POST", "/local/failures", { kind: "query", reason: "no gas left" });
    await api.ok("DELETE", "/local/failures");
    const injected = await source.until(
      ({ kind }) => kind === "injected",
      (all) => all.length === 5,
    );
    should(injected.map(({ injected }) => injected)).eql([
      { list: "faults", state: "asked", details: "1 × answer with 429 (/networks)" },
      { list: "faults", state: "applied", details: "GET /networks: answered with 429" },
      { list: "faults", state: "cleared" },
      { list: "failures", state: "asked", details: "1 × query fails: no gas left" },
      { list: "failures", state: "cleared" },
    ]);

    await api.ok("POST", "/local/proofs", { action: "corrupt", match: { type: "watcher.event" } });
    await api.ok("POST", "/local/deliveries", { action: "late", match: { type: "watcher.event" } });
    await api.ok("POST", "/local/faucet", {});
    const [tampered] = await source.until(
      ({ kind, proof }) => kind === "event" && proof?.change !== undefined,
      (all) => all.length > 0,
    );
    should(tampered?.proof).eql({ signatures: 3, required: 3, change: "corrupt" });
    should(tampered?.delivery).equal("late");
    for (const list of ["proofs", "deliveries"]) await api.ok("DELETE", `/local/${list}`);
  });

  it("shows a reorganization", async () => {
    const source = await listen();
    const entry = await eventually("a reorganization", async () => {
      // Nobody notices that a block is replaced which was not read yet.
      await api.ok("POST", "/local/reorg", { depth: 1 });
      return source.entries.find(({ kind }) => kind === "reorganization");
    });
    const { after_block = 0, up_to_block = 0 } = entry.replaced ?? {};
    should(up_to_block).be.above(after_block);
  });

  it("returns the newest entries first, as many as asked for", async () => {
    for (const name of ["first", "second", "third"]) await api.channel(name);
    // An event of an earlier test may be finalized in between.
    const all = await newest(500);
    const channels = all.filter(({ kind }) => kind === "channel").map(({ name }) => name);
    should(channels.slice(0, 3)).eql(["third", "second", "first"]);
    const sequences = all.map(({ id }) => Number(id.split("-")[1]));
    should(sequences).eql(sequences.toSorted((one, other) => other - one));
    should(await newest(2)).have.length(2);
    for (const limit of ["0", "501", "x"]) {
      should((await api.call("GET", `/local/timeline?limit=${limit}`)).status).equal(400);
    }
  });

  for (const [how, options] of [
    ["the header Last-Event-ID", (id: string) => ({ headers: { "last-event-id": id } })],
    ["the parameter after", (id: string) => ({ query: `?after=${id}` })],
  ] as const) {
    it(`continues after ${how}, without loss and doubles`, async () => {
      const before = await listen();
      await api.channel();
      await before.until(Boolean, (all) => all.length > 0);
      before.close();
      const position = before.ids.at(-1) ?? "";
      const made: string[] = [];
      for (let count = 0; count < 120; count += 1) made.push(await api.channel());
      const after = await listen(options(position));
      should(after.resets).equal(0);
      made.push(await api.channel());
      await after.until(Boolean, (all) => all.some(({ channel_id }) => channel_id === made.at(-1)));
      const all = [...before.ids, ...after.ids].map((id) => Number(id.split("-")[1]));
      should(all.slice(1).every((sequence, index) => sequence === Number(all[index]) + 1)).be.true();
      should(after.entries.map(({ channel_id }) => channel_id)).containDeep(made);
      should(after.resets).equal(0);
    });
  }

  it("starts again where it cannot continue", async () => {
    const [last] = await newest(1);
    const ahead = `${last?.id.split("-")[0]}-999999`;
    for (const id of ["00000000-1", ahead]) {
      const source = await listen({ query: `?after=${id}` });
      await source.until(Boolean, (all) => all.length > 0);
      should(source.resets).equal(1);
      should(source.ids).containEql(last?.id);
    }
    should((await listen({ query: "?after=nonsense" })).status).equal(400);
  });

  it("has room for many readers, and says so when there is none", async () => {
    for (let count = 0; count < 32; count += 1) should((await listen()).status).equal(200);
    should((await listen()).status).equal(409);
    open[0]?.close();
    await eventually("room", async () => ((await listen()).status === 200 ? true : undefined));
    const made = await api.channel();
    for (const source of open.slice(1, 32)) {
      await source.until(
        ({ channel_id }) => channel_id === made,
        (all) => all.length === 1,
      );
    }
  });
});

describe("who can read the time line", function () {
  this.timeout(60_000);

  const statuses = async (baseUrl: string, headers: Record<string, string> = {}) =>
    await Promise.all(
      ["/local/timeline", "/local/timeline/stream", "/local/page/timeline.mjs"].map(async (path) => {
        const abort = new AbortController();
        const { status } = await fetch(baseUrl + path, { headers, signal: abort.signal });
        abort.abort();
        return status;
      }),
    );

  it("each program of this machine where the key is public, but no web page from elsewhere", async () => {
    const { api, dispose } = await startTestService();
    try {
      const { base_url, api_key } = api.ready;
      should(await statuses(base_url)).eql([200, 200, 200]);
      for (const site of ["cross-site", "same-site"]) {
        should(await statuses(base_url, { "sec-fetch-site": site })).eql([403, 403, 403]);
      }
      should(await statuses(base_url, { "sec-fetch-site": "same-origin" })).eql([200, 200, 200]);
      should(await statuses(base_url, { origin: "https://elsewhere.example" })).eql([403, 403, 403]);
      const named = await EventSource.open(base_url, { headers: { host: "elsewhere.example" } });
      should(named.status).equal(403);
      named.close();
      // Nothing else is open.
      const { status } = await fetch(`${base_url}/local/status`);
      should(status).equal(401);
      const { headers } = await fetch(`${base_url}/local/timeline`);
      should(headers.get("cross-origin-resource-policy")).equal("same-origin");
      should(headers.get("access-control-allow-origin")).be.null();
      await api.channel();
      should(await (await fetch(`${base_url}/local/timeline`)).text()).not.containEql(api_key);
    } finally {
      await dispose();
    }
  });

  it("only programs with the key where that is a secret, and the page says how", async () => {
    const { api, dispose } = await startTestService({ apiKey: "my-own-key" });
    try {
      const { base_url } = api.ready;
      should(await statuses(base_url)).eql([401, 401, 401]);
      should(await statuses(base_url, { authorization: "Apikey my-own-key" })).eql([200, 200, 200]);
      await api.channel();
      should(JSON.stringify(await api.ok("GET", "/local/timeline"))).not.containEql("my-own-key");
      const page = await (await fetch(base_url)).text();
      should(page)
        .match(/shown only\s+with the key/)
        .and.not.match(/<script|my-own-key/);
    } finally {
      await dispose();
    }
  });

  it("nobody where the endpoints for testers are disabled, and the page says how to enable them", async () => {
    const { api, dispose } = await startTestService({ local: false });
    try {
      const { base_url, api_key } = api.ready;
      should(await statuses(base_url, { authorization: `Apikey ${api_key}` })).eql([404, 404, 404]);
      const page = await (await fetch(base_url)).text();
      should(page)
        .match(/<code>--local<\/code> to see here/)
        .and.not.match(/<script/);
    } finally {
      await dispose();
    }
  });
});

describe("a stop of the service", function () {
  this.timeout(60_000);

  it("ends the streams at once, and they continue with the next start", async () => {
    const folder = temporaryFolder();
    const first = await startTestService({ dataDir: folder.path });
    const sources = await Promise.all(
      Array.from({ length: 5 }, () => EventSource.open(first.api.ready.base_url)),
    );
    await first.api.channel("before");
    for (const source of sources) await source.until(Boolean, (all) => all.length > 0);
    const closing = first.service.close();
    await Promise.all(sources.map(({ ended }) => ended));
    // Ended, not cut off after the time that running requests have.
    should(sources.map(({ response }) => response.complete)).eql([true, true, true, true, true]);
    await closing;

    const second = await startTestService({ dataDir: folder.path });
    try {
      const id = sources[0]?.ids.at(-1) ?? "";
      await second.api.channel("after");
      const source = await EventSource.open(second.api.ready.base_url, { headers: { "last-event-id": id } });
      const [entry] = await source.until(Boolean, (all) => all.length > 0);
      should([entry?.name, source.resets]).eql(["after", 0]);
      source.close();
    } finally {
      await second.service.close();
      folder.dispose();
    }
  });
});

describe("the stored time line", () => {
  it("keeps only the newest entries, so that it does not grow", () => {
    const folder = temporaryFolder();
    const store = new Store(folder.path);
    try {
      const { timeline } = store;
      store.transaction(() => {
        for (let count = 1; count <= 5000; count += 1) timeline.add({ kind: "injected", facts: { count } });
      });
      const { oldest, newest } = timeline.range();
      should(newest).equal(5000);
      should(newest - oldest + 1).be.within(2000, 2255);
      should(sequenceOf(timeline, `${timeline.id}-${oldest - 2}`)).be.undefined();
      should(sequenceOf(timeline, `${timeline.id}-${oldest - 1}`)).equal(oldest - 1);
      should(timeline.after(newest - 1, 10).map(({ facts }) => facts)).eql([{ count: 5000 }]);
    } finally {
      store.close();
      folder.dispose();
    }
  });

  it("has no entry of a change that was undone", () => {
    const folder = temporaryFolder();
    const store = new Store(folder.path);
    try {
      should(() =>
        store.transaction(() => {
          store.timeline.add({ kind: "injected" });
          throw new Error("undone");
        }),
      ).throw("undone");
      should(store.timeline.newest(10)).be.empty();
    } finally {
      store.close();
      folder.dispose();
    }
  });
});
