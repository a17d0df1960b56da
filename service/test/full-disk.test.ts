import { mock } from "node:test";
import should from "should";
import type { Operation, Query, QueryStatus, Wallet, Watcher } from "../../src/protocol/index.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/signing/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import { itWide } from "../../test/support/wide.ts";
import { Queries } from "../src/store/queries.ts";
import { Store } from "../src/store/store.ts";
import { callOf, signedOperation } from "./signed-operation.ts";
import { type Api, CONFIRMED_PATH, logTo, startTestService, TRANSFER } from "./support.ts";

describe("a disk that is full for a time", function () {
  this.timeout(60_000);
  const signer = localEcdsaSigner(generatePrivateKey());
  const lines: string[] = [];
  let api: Api;
  let channelId: string;
  let wallet: Wallet;
  let dispose: () => Promise<void>;

  before(async () => {
    ({ api, dispose } = await startTestService({ log: logTo((line) => lines.push(line)) }));
    channelId = await api.channel();
    wallet = await newWallet("first");
    wallet = await api.until<Wallet>(`/wallets/${wallet.wallet_id}`, "deployed");
  });
  afterEach(() => mock.restoreAll());
  after(() => dispose());

  const newWallet = (name: string) => api.wallet(signer.address, name);
  const newQuery = (idempotency_key: string) =>
    api.ok<Query>("POST", `/channels/${channelId}/queries`, {
      idempotency_key,
      query_kind: "evm_call",
      chain_selector: api.ready.chain_selector,
      params: {
        contract_address: api.ready.contracts.DemoToken,
        call_data: "0x18160ddd",
        block_selection: { type: "latest" },
      },
    });
  const isFull = () =>
    Object.assign(new Error("database or disk is full"), { code: "ERR_SQLITE_ERROR", errcode: 13 });
  /** From the first query that gets this status on, no status is stored until `mock.restoreAll`. Counts the attempts. */
  const fillAt = (full: QueryStatus) => {
    const { setStatus } = Queries.prototype;
    const times: number[] = [];
    mock.method(Queries.prototype, "setStatus", function (this: Queries, id: string, status: QueryStatus) {
      if (times.length === 0 && status !== full) return setStatus.call(this, id, status);
      times.push(performance.now());
      throw isFull();
    });
    return times;
  };
  const queryPath = ({ query_id }: Query) => `/channels/${channelId}/queries/${query_id}`;
  /** Every transaction fails until `mock.restoreAll`. Counts them. */
  const fill = () => {
    const counted = { refused: 0 };
    mock.method(Store.prototype, "transaction", () => {
      counted.refused += 1;
      throw isFull();
    });
    return counted;
  };
  const pathOf = async (member: string, id: string) =>
    (await api.events(channelId))
      .filter(({ payload }) => payload[member] === id)
      .map(({ payload }) => payload.status);

  it("loses no query, whichever step could not be stored", async () => {
    for (const full of ["sending", "sent", "completed"] as const) {
      const attempts = fillAt(full);
      const query = await newQuery(`key ${full}`);
      await eventually("a write that fails", () => attempts.length > 0);
      mock.restoreAll();
      const done = await api.until<Query>(queryPath(query), "completed", "failed");
      should(done.status).equal("completed");
      should(await pathOf("query_id", query.query_id)).eql(["accepted", "sending", "sent", "completed"]);
    }
  });

  it("is tried again with a pause, and logged once", async () => {
    lines.length = 0;
    const attempts = fillAt("sent");
    const query = await newQuery("paused");
    await eventually("three attempts", () => attempts.length > 2);
    const [first = 0, , third = 0] = attempts;
    should(third - first).be.above(900);
    const told = lines.filter((line) => line.includes(query.query_id));
    should(told).eql([`Error with query ${query.query_id}: database or disk is full. It is tried again.`]);
    mock.restoreAll();
    await api.until<Query>(queryPath(query), "completed");
  });

  itWide("rejects a query as a tester asked, once there is room", async () => {
    await api.ok("POST", "/local/failures", { kind: "query", reason: "as asked" });
    const attempts = fillAt("failed");
    const query = await newQuery("rejected");
    await eventually("a write that fails", () => attempts.length > 0);
    mock.restoreAll();
    await api.until<Query>(queryPath(query), "failed");
    should(await pathOf("query_id", query.query_id)).eql(["accepted", "sending", "failed"]);
  });

  itWide("loses no operation, wallet or watcher either", async () => {
    const increment = callOf(api, "Counter", "increment");
    const operation = await signedOperation(api, signer, wallet.address, [increment]);
    const { operation_id } = await api.ok<Operation>("POST", `/channels/${channelId}/operations`, operation);
    const { wallet_id } = await newWallet("second");
    const watcher = await api.ok<Watcher>("POST", `/channels/${channelId}/watchers`, {
      name: "transfers",
      chain_selector: api.ready.chain_selector,
      address: api.ready.contracts.DemoToken,
      events: ["Transfer"],
      abi: [TRANSFER],
    });
    const counted = fill();
    await eventually("writes that fail", () => counted.refused > 3);
    mock.restoreAll();
    await Promise.all([
      api.until<Wallet>(`/wallets/${wallet_id}`, "deployed"),
      api.until<Watcher>(`/channels/${channelId}/watchers/${watcher.watcher_id}`, "active"),
      api.until<Operation>(`/channels/${channelId}/operations/${operation_id}`, "confirmed"),
    ]);
    should(await pathOf("operation_id", operation_id)).eql(CONFIRMED_PATH);
  });
});
