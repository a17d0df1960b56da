import { setTimeout as sleep } from "node:timers/promises";
import should from "should";
import { verifyEvent } from "../../src/proofs/index.ts";
import type { EventEnvelope, EventPage, VerifiableEvent, Wallet, Watcher } from "../../src/protocol/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import { type Api, BLOCK_TIME_MS, signedText, startTestService, TRANSFER } from "./support.ts";
import { rpc, sendFrom } from "./transactions.ts";

describe("the endpoints under /local", function () {
  this.timeout(120_000);
  let api: Api;
  let dispose: () => Promise<void>;
  let channelId: string;

  before(async () => {
    ({ api, dispose } = await startTestService());
  });
  after(() => dispose());
  beforeEach(async () => {
    channelId = await api.channel();
  });

  const poll = async (query = "offset=1"): Promise<EventPage<EventEnvelope>> =>
    await api.ok<EventPage<EventEnvelope>>("GET", `/channels/${channelId}/events?${query}`);
  const offsets = ({ events }: Pick<EventPage<EventEnvelope>, "events">) =>
    events.map(({ headers }) => headers.offset);
  const create = (name: string): Promise<Watcher> =>
    api.ok<Watcher>("POST", `/channels/${channelId}/watchers`, {
      name,
      chain_selector: api.ready.chain_selector,
      address: api.ready.contracts.DemoToken,
      events: ["Transfer"],
      abi: [TRANSFER],
    });
  /** Three transfers, and so three events with a proof at `latest`, and three later. */
  const pay = async () => {
    for (const amount of ["1", "2", "3"]) await api.ok("POST", "/local/faucet", { amount });
  };

  describe("proofs", () => {
    const judged = async (event: EventEnvelope | undefined) => {
      if (event === undefined) throw new Error("no event");
      const { org_id, cre_tenant_id, valid_signers, min_required_signatures } = api.ready;
      const verdict = await verifyEvent(event, {
        orgId: org_id,
        creTenantId: cre_tenant_id,
        validSigners: valid_signers,
        minRequiredSignatures: min_required_signatures,
      });
      return verdict.verified ? "verified" : verdict.reason;
    };
    const proven = (events: EventEnvelope[]) =>
      events.filter(({ headers }) => headers.type === "watcher.event");

    it("are withheld, delayed and corrupted in answers, and unchanged in the store", async () => {
      await api.transferWatcher(channelId);
      const match = { channel_id: channelId };
      await api.ok("POST", "/local/proofs", { action: "withhold", match });
      await api.ok("POST", "/local/proofs", { action: "corrupt", match });
      await api.ok("POST", "/local/proofs", { action: "delay", delayMs: 400, match });
      await pay();
      const events = await api.eventsUntil(channelId, (all) => proven(all).length === 6);
      const [withheld, corrupt, delayed, untouched] = proven(events);
      should(withheld?.headers.proofs).eql([]);
      should(await judged(withheld)).equal("no_proof");
      should(await judged(corrupt)).equal("threshold_not_met");
      should(await judged(untouched)).equal("verified");
      const path = `/channels/${channelId}/events/search/${delayed?.event_id}`;
      await eventually("the delayed proof", async () => {
        const event = await api.ok<EventEnvelope>("GET", path);
        return event.headers.proofs.length === 1 ? true : undefined;
      });
      should(await judged(await api.ok<EventEnvelope>("GET", path))).equal("verified");

      await api.ok("DELETE", "/local/proofs");
      for (const event of proven((await poll()).events)) should(await judged(event)).equal("verified");
    });
  });

  describe("deliveries", () => {
    /** The whole channel, read anew each time: an event can come below others that were read. */
    const wholeUntil = (enough: (events: EventEnvelope[]) => boolean) =>
      eventually("the expected events", () => api.events(channelId), enough);

    it("are late: missing in polls, searches and by id, and then at their offset", async () => {
      const delivery = { action: "late", delayMs: 3_000, match: { channel_id: channelId } };
      await api.ok("POST", "/local/deliveries", delivery);
      await create("late");
      await wholeUntil((all) => all.length > 0);
      should(offsets(await poll())).eql([2]);
      should(offsets(await poll("limit=1"))).eql([2]);
      const search = await api.ok<EventPage<EventEnvelope>>(
        "GET",
        `/channels/${channelId}/events/search?limit=1`,
      );
      should(offsets(search)).eql([2]);
      await wholeUntil((all) => all.length === 2);
      should(offsets(await poll())).eql([1, 2]);
    });

    it("come twice, in pages that are no longer than asked for", async () => {
      const delivery = { action: "twice", match: { channel_id: channelId, type: "watcher.status" } };
      await api.ok("POST", "/local/deliveries", delivery);
      await create("twice");
      await wholeUntil((all) => all.length > 2);
      should(offsets(await poll())).eql([1, 1, 2]);
      const page = await poll("offset=1&limit=2");
      should(offsets(page)).eql([1, 1]);
      should(page.has_more).be.true();
      await api.ok("DELETE", "/local/deliveries");
      should(offsets(await poll())).eql([1, 2]);
    });

    it("come twice in a search where there is room, and leave nothing out of any page", async () => {
      await api.ok("POST", "/local/deliveries", {
        action: "twice",
        match: { channel_id: channelId },
        times: 2,
      });
      await create("twice");
      await create("and again");
      const all = await wholeUntil((events) => new Set(offsets({ events })).size === 4);
      should(offsets({ events: all }).length).be.above(4);
      for (const limit of [1, 2, 3, 50]) {
        const seen = new Set<number>();
        for (let offset = 0, more = true; more; offset += limit) {
          const path = `/channels/${channelId}/events/search?limit=${limit}&offset=${offset}`;
          const page = await api.ok<{ events: EventEnvelope[]; has_more: boolean }>("GET", path);
          should(page.events.length).be.belowOrEqual(limit);
          for (const place of offsets(page)) seen.add(place);
          more = page.has_more;
        }
        should([...seen].sort()).eql([1, 2, 3, 4]);
      }
    });

    it("come out of order", async () => {
      await create("in order");
      await wholeUntil((all) => all.length === 2);
      await api.ok("POST", "/local/deliveries", { action: "out_of_order", match: { channel_id: channelId } });
      await create("out of order");
      await wholeUntil((all) => all.length === 4);
      should(offsets(await poll())).eql([3, 1, 2, 4]);
      should(offsets(await poll("offset=3"))).eql([4, 3]);
    });

    it("leave out of a full page only what the next one brings", async () => {
      const match = { channel_id: channelId };
      await api.ok("POST", "/local/deliveries", { action: "twice", match });
      await create("doubled");
      await wholeUntil((all) => all.length > 2);
      await api.ok("POST", "/local/deliveries", { action: "out_of_order", match });
      await create("out of order");
      await wholeUntil((all) => all.length > 4);
      const page = await poll("offset=1&limit=3");
      should(offsets(page)).eql([1, 1, 2]);
      should(page.has_more).be.true();
      should(offsets(await poll("offset=3"))).eql([4, 3]);
    });
  });

  describe("failures", () => {
    it("meet the next wallet and the next watchers, with the reason given", async () => {
      await api.ok("POST", "/local/failures", { kind: "deployment", reason: "no gas left" });
      const wallet = await api.ok<Wallet>("POST", "/wallets", {
        name: `wallet ${Math.random()}`,
        wallet_owner_address: `0x${"1".repeat(40)}`,
        chain_selector: api.ready.chain_selector,
        wallet_type: "ecdsa",
        status_channel_id: channelId,
      });
      await api.until(`/wallets/${wallet.wallet_id}`, "failed");

      await api.ok("POST", "/local/failures", { kind: "watcher", reason: "no such contract" });
      const watcher = await create("failing");
      const path = `/channels/${channelId}/watchers/${watcher.watcher_id}`;
      await api.until(path, "failed");

      await api.ok("POST", "/local/failures", { kind: "archive", reason: "still busy" });
      await api.ok("PATCH", path, { status: "archived" });
      await api.until(path, "failed");
      await api.ok("PATCH", path, { status: "archived" });
      await api.until(path, "archived");

      const reasons = (await poll()).events
        .map(({ payload }) => payload)
        .filter(({ status_reason }) => status_reason !== "")
        .map(({ status, status_reason }) => [status, status_reason]);
      should(reasons).eql([
        ["failed", "no gas left"],
        ["failed", "no such contract"],
        ["archive_failed", "still busy"],
      ]);
      should(await api.ok("DELETE", "/local/failures")).eql({ failures: [] });
    });
  });

  describe("the chain", () => {
    it("is as fast as asked for", async () => {
      should(await api.ok("POST", "/local/speed", { blockTimeMs: 10 })).eql({
        blockTimeMs: 10,
        hold: false,
      });
      // Blocks come until the one that pays is final, and that is the next one or later.
      const { latest } = await api.ok<{ latest: number }>("GET", "/local/status");
      await api.ok("POST", "/local/faucet", {});
      await eventually("finality", async () => {
        const status = await api.ok<{ finalized: number; blockTimeMs: number }>("GET", "/local/status");
        should(status.blockTimeMs).equal(10);
        return status.finalized > latest ? true : undefined;
      });
      should((await api.call("POST", "/local/speed", { blockTimeMs: 0 })).status).equal(400);
      await api.ok("POST", "/local/speed", { blockTimeMs: 100 });
    });

    it("holds a transaction until the interval ends, if it is told to, and not otherwise", async () => {
      const pay = async () => {
        const start = performance.now();
        const { block_number } = await api.ok<{ block_number: number }>("POST", "/local/faucet", {});
        return { block: block_number, ms: performance.now() - start };
      };
      await api.ok("POST", "/local/speed", { blockTimeMs: 60_000 });
      should((await pay()).ms).be.below(10_000);
      const held = { blockTimeMs: 1500, hold: true };
      should(await api.ok("POST", "/local/speed", held)).eql(held);
      const before = Number(await rpc<string>(api, "eth_blockNumber"));
      const paying = pay();
      await eventually(
        "the payment to wait",
        () => rpc<{ pending: string }>(api, "txpool_status"),
        ({ pending }) => Number(pending) > 0,
      );
      // What wakes the service mines nothing.
      await api.ok("POST", "/wallets", {
        ...{ name: `held ${Math.random()}`, chain_selector: api.ready.chain_selector },
        ...{ wallet_type: "ecdsa", wallet_owner_address: `0x${"1".repeat(40)}` },
      });
      const { block, ms } = await paying;
      should(block).equal(before + 1);
      should(ms).be.within(700, 10_000);
      should(await api.ok("POST", "/local/speed", { blockTimeMs: 100 })).containEql({ hold: false });
    });

    it("makes a transaction final that nobody saw waiting", async () => {
      // So seldom that the service does not look in between.
      await api.ok("POST", "/local/speed", { blockTimeMs: 60_000 });
      const { after } = await eventually(
        "the chain to be at rest",
        async () => {
          const before = await rpc<string>(api, "eth_blockNumber");
          await sleep(2 * BLOCK_TIME_MS);
          return { before, after: await rpc<string>(api, "eth_blockNumber") };
        },
        ({ before, after }) => before === after,
      );
      await sendFrom(api, { to: `0x${"1".repeat(40)}`, data: "0x" });
      // Not the newest block: one without a transaction may have come after it, and need not become final.
      const paidIn = Number(after) + 1;
      await api.ok("POST", "/local/speed", { blockTimeMs: 10 });
      await eventually("finality", async () => {
        const { finalized } = await api.ok<{ finalized: number }>("GET", "/local/status");
        return finalized >= paidIn ? true : undefined;
      });
      await api.ok("POST", "/local/speed", { blockTimeMs: 100 });
    });

    it("takes payments that are asked for at once, each as a transaction of its own", async () => {
      const pay = () => api.ok<{ transaction_hash: string }>("POST", "/local/faucet", { amount: "1" });
      const paid = await Promise.all(Array.from({ length: 8 }, pay));
      should(new Set(paid.map(({ transaction_hash }) => transaction_hash)).size).equal(8);
    });

    it("has traffic at a given rate until it is told to rest", async () => {
      await api.transferWatcher(channelId);
      const rates = { transfersPerSecond: 40, readingsPerSecond: 20 };
      should(await api.ok("POST", "/local/traffic", rates)).eql(rates);
      await api.eventsUntil(channelId, (all) => all.length > 10);
      const none = { transfersPerSecond: 0, readingsPerSecond: 0 };
      should(await api.ok("POST", "/local/traffic", {})).eql(none);
      let paid = 1_000_000;
      /** Several payments, each in a block of its own. */
      const payments = async () => {
        const amounts = Array.from({ length: 6 }, (_, index) => String(paid + index));
        paid += amounts.length;
        for (const amount of amounts) await api.ok("POST", "/local/faucet", { amount });
        return amounts;
      };
      const amounts = (all: EventEnvelope[]) =>
        all
          .filter(({ payload }) => payload.verifiable_event !== undefined)
          .map((event) => signedText<VerifiableEvent>(event).chain_event)
          .filter((event) => event?.confidence === "latest")
          .map((event) => String(event?.params?.value));
      // With that much traffic, something would come between them.
      await eventually(
        "payments with nothing between them",
        async () => {
          const [first = "", ...others] = await payments();
          const last = others.at(-1) ?? "";
          const all = amounts(await api.eventsUntil(channelId, (all) => amounts(all).includes(last)));
          return { between: all.slice(all.indexOf(first) + 1, all.indexOf(last)), paid: others.slice(0, -1) };
        },
        ({ between, paid }) => between.join() === paid.join(),
      );
    });

    it("refuses what it cannot, in a sentence", async () => {
      const refused = await api.call("POST", "/local/traffic", { transfersPerSecond: 5000 });
      should(refused.status).equal(400);
      should(refused.body.message).equal("transfersPerSecond must be a number from 0 to 100.");
      const unknown = await api.call("POST", "/local/failures", { kind: "deployment", time: 3 });
      should(unknown.body.message).equal("The body takes no field time.");
    });
  });

  it("is not there unless asked for, and says how to ask", async () => {
    const closed = await startTestService({ local: false });
    try {
      const answer = await closed.api.call("POST", "/local/faucet", {});
      should(answer.status).equal(404);
      should(answer.body.message).match(/--local or CREC_LOCAL/);
    } finally {
      await closed.dispose();
    }
  });
});
