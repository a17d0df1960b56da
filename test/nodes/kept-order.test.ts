import should from "should";
import { NODE } from "../../nodes/submit-operation/fields.ts";
import { eventually } from "../support/eventually.ts";
import { functionNode } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import { isSubmit, OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { submitNode, value } from "../support/operation-nodes.ts";

const MESSAGES = 5;

/** The order of what one wallet sends, as the service gets it. */
describe("submit operation, with the order kept", function () {
  this.timeout(120_000);

  let harness: OperationHarness;
  before(async () => {
    harness = await OperationHarness.start();
    await deploy();
  });
  afterEach(() => {
    harness.proxy.harm = () => undefined;
  });
  after(() => harness?.close());

  /** Each sends as many units of the coin as its message says. */
  const coins = (id: string, keepOrder: boolean, more: Partial<FlowNode> = {}) =>
    submitNode({
      ...{ id, keepOrder, version: 2, waitFor: "accepted", ...more },
      calls: [{ kind: "raw", to: value(RECEIVER), amount: value("payload", "msg") }],
    });
  const burst = `for (let payload = 1; payload <= ${MESSAGES}; payload += 1) node.send({ ...msg, payload }); return null;`;
  const deploy = () =>
    harness.deploy([
      [coins("submit", true), 2],
      [coins("other", true), 2],
      [coins("unticked", false), 2],
      [coins("soon", true, { deadline: "0.05" }), 2],
      [coins("hasty", true, { timeout: "1" }), 2],
      [functionNode("burst", burst, ["submit"]), 0],
      [functionNode("both", burst, ["submit", "other"]), 0],
    ]);
  /** What the operations send, in the order in which they reach the service. */
  const amounts = (from: number) => harness.sentAmounts(from);
  let bursts = 0;
  /** Until each message is answered: what is still under way at a deploy would be sent again by the next test. */
  const press = async (id: string, nodes = ["submit"]): Promise<() => Promise<void>> => {
    bursts += 1;
    const probe = `burst ${bursts}`;
    await harness.nodeRed.press(id, { payload: 0, probe });
    return async () => {
      for (const node of nodes) {
        await eventually(
          `the ${MESSAGES} answers of ${node}`,
          () => harness.seenAt(`${node}:0`, probe).length,
          (count) => count === MESSAGES,
        );
      }
    };
  };
  const once = (from: number) => [...new Set(amounts(from))];
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}`);

  it("sends the messages of one tick in their order, also while the first one is held up", async () => {
    const from = harness.proxy.passed.length;
    const held = Promise.withResolvers<void>();
    const first = harness.proxy.next(1, isSubmit);
    harness.holdNext(held.promise);
    const answered = await press("press-burst");
    await first;
    // Whoever does not keep the order passes them all.
    await harness.ask("unticked", { payload: 1_000 });
    should(once(from)).deepEqual(["1", "1000"]);
    held.resolve();
    await answered();
    should(once(from).filter((amount) => amount !== "1000")).deepEqual(upTo(MESSAGES));
  });

  /** One that is held up on its way, and holds up all others. */
  const holdUp = async () => {
    const from = harness.proxy.passed.length;
    const held = Promise.withResolvers<void>();
    const first = harness.proxy.next(1, isSubmit);
    harness.holdNext(held.promise);
    const answered = harness.ask("submit", { payload: "1000" });
    await first;
    return {
      from,
      goOn: async () => {
        held.resolve();
        await answered;
      },
    };
  };

  it("signs an operation anew whose deadline has passed in the line", async () => {
    const { from, goOn } = await holdUp();
    const second = () => Math.floor(Date.now() / 1000);
    const late = second() + 4;
    const answered = harness.ask("soon", { payload: "1" });
    await eventually("the deadline has passed", second, (now) => now > late);
    should(amounts(from)).deepEqual(["1000"]);
    await goOn();
    should((await answered).crec).have.property("status", "accepted");
    should(amounts(from)).deepEqual(["1000", "1"]);
    const [, sent] = harness.proxy.passed.slice(from).filter(isSubmit);
    should(JSON.parse(sent?.body ?? "{}").deadline).be.above(late);
  });

  it("ends what waits longer than its timeout with QUEUE_TIMEOUT: it is not submitted, and others go on", async () => {
    const { from, goOn } = await holdUp();
    const { error } = await harness.refuse("hasty", { payload: "1" });
    should(error).match({
      code: "QUEUE_TIMEOUT",
      message: /so this one was not sent. Nothing was submitted/,
    });
    await goOn();
    should(amounts(from)).deepEqual(["1000"]);
    await harness.ask("submit", { payload: "2" });
    should(amounts(from)).deepEqual(["1000", "2"]);
  });

  it("looks up network, channel and wallet once for all of them", async () => {
    // It knows them no more after a deploy.
    await deploy();
    const from = harness.proxy.passed.length;
    await (await press("press-burst"))();
    const lookUps = harness.proxy.passed
      .slice(from)
      .map(({ method, path }) => `${method} ${path.split("/").at(-1)}`)
      .filter((call) => /(networks|channels|wallets)$/.test(call));
    should(lookUps).containEql("GET networks");
    should(lookUps.sort()).deepEqual([...new Set(lookUps)]);
  });

  it("sends a message again before those behind it, where the service is busy once", async () => {
    const from = harness.proxy.passed.length;
    harness.proxy.harm = (passing) => {
      if (!isSubmit(passing)) return undefined;
      harness.proxy.harm = () => undefined;
      return { kind: "answer", status: 503, body: '{"type":"SERVICE_UNAVAILABLE","message":"busy"}' };
    };
    await (await press("press-burst"))();
    should(amounts(from)).deepEqual(["1", ...upTo(MESSAGES)]);
  });

  it("is off in nodes of older flows", () => {
    should(NODE.migrations?.[1]?.({ mode: "send" })).eql({ mode: "send", keepOrder: false });
  });

  it("keeps it over several nodes of the wallet", async () => {
    const from = harness.proxy.passed.length;
    await (await press("press-both", ["submit", "other"]))();
    should(amounts(from)).deepEqual(upTo(MESSAGES).flatMap((amount) => [amount, amount]));
  });
});
