import { readFile } from "node:fs/promises";
import should from "should";
import { eventually } from "../support/eventually.ts";
import { fleetNode } from "../support/fleet-harness.ts";
import { functionNode } from "../support/flow-harness.ts";
import { checkError, OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { submitNode, value } from "../support/operation-nodes.ts";
import { hasRedis, RedisServer } from "../support/redis.ts";

/** As many of one wallet as may wait to be sent. */
const MOST = 1_000;
const LONGEST_MS = 240_000;
const MORE_MEMORY_MB = 400;

/** A flood of events into one node, which notes in Redis what it has read of each. */
describe("submit operation, with a thousand messages at once and its state on Redis", function () {
  this.timeout(LONGEST_MS + 60_000);

  let harness: OperationHarness;
  let server: RedisServer;

  before(async function () {
    if (!hasRedis()) return this.skip();
    [harness, server] = await Promise.all([OperationHarness.start({}), RedisServer.start()]);
    await harness.rpc("anvil_setBalance", harness.wallet, "0xde0b6b3a7640000");
    await harness.deploy(
      [
        [submitNode(paying), 2],
        [functionNode("burst", burst(), ["submit"]), 0],
      ],
      [fleetNode(server.url)],
    );
  });
  after(async () => {
    await harness?.close();
    await server?.remove();
  });

  const paying = {
    ...{ keepOrder: true, version: 2, onceFor: "event", fleet: "fleet", timeout: "300", follow: false },
    calls: [{ kind: "raw", to: value(RECEIVER), amount: value("amount", "msg") }],
  };
  /** One more than may wait. Each is about a log of its own. */
  const burst = () => `
    for (let amount = 1; amount <= ${MOST + 1}; amount += 1) {
      const log = "${harness.service.ready.chain_selector}:0x" + amount.toString(16).padStart(64, "0") + ":0";
      const text = JSON.stringify({ name: "Paid", chain_event: { params: { amount: String(amount) } } });
      const payload = { verifiable_event: Buffer.from(text).toString("base64") };
      const event = { headers: { type: "watcher.event" }, payload };
      const crec = { keep: "me", dedupeKey: log + ":latest", event };
      node.send({ amount, probe: msg.probe, kept: "as it was", crec });
    }
    return null;`;
  const memoryMb = async (): Promise<number> => {
    const status = await readFile(`/proc/${harness.nodeRed.pid}/status`, "utf8").catch(() => "");
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
  };

  it("executes each once, in their order, and refuses the one that is too many", async () => {
    const [before, memory, started] = [await harness.executions(), await memoryMb(), performance.now()];
    const from = harness.proxy.passed.length;
    const probe = "flood";
    await harness.nodeRed.press("press-burst", { probe });
    const done = () => [...harness.seenAt("submit:0", probe), ...harness.seenAt("error", probe)];
    await eventually("an end of each", () => done().length > MOST, { withinMs: LONGEST_MS, pauseMs: 500 });
    const tookMs = performance.now() - started;
    const more = (await memoryMb()) - memory;
    const [refused, ...others] = harness.seenAt("error", probe);
    should(others).be.empty();
    checkError(refused ?? {}, "submit", "QUEUE_FULL", /^1000 messages of this wallet wait to be sent/);
    should(refused).have.property("amount", MOST + 1);
    should(await harness.executions()).equal(before + MOST);
    const sent = harness.proxy.passed
      .slice(from)
      .filter(({ method, path }) => method === "POST" && path.endsWith("/operations"))
      .map(({ body }) => Number(JSON.parse(body).transactions[0].value));
    should(sent).deepEqual(Array.from({ length: MOST }, (_, index) => index + 1));
    for (const { crec } of harness.seenAt("submit:0", probe))
      should(crec).match({ found: false, status: "confirmed_latest", verification: { verified: true } });
    should(tookMs).be.below(LONGEST_MS);
    should(more).be.below(MORE_MEMORY_MB);
    harness.checkRunsWell();
  });
});
