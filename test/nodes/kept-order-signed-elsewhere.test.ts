import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { Custodian } from "../support/custodian.ts";
import { eventually } from "../support/eventually.ts";
import { functionNode } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import { isSubmit, OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { submitNode, value, walletNode } from "../support/operation-nodes.ts";
import { itWide } from "../support/wide.ts";

const settings = fileURLToPath(new URL("custody-settings.cjs", import.meta.url));
const MESSAGES = 8;
const HOUR_MS = 3_600_000;

/** The order of what one wallet sends, where each signature takes time, over deploys and stops. */
describe("submit operation, with the order kept and a key elsewhere", function () {
  this.timeout(120_000);

  let harness: OperationHarness;
  let custodian: Custodian;
  before(async () => {
    harness = await OperationHarness.start({}, { settings });
    custodian = await Custodian.start(harness.key);
  });
  afterEach(() => {
    harness.proxy.harm = () => undefined;
  });
  after(async () => {
    await custodian?.close();
    await harness?.close();
  });

  const coins = (id: string, wallet: string, more: Partial<FlowNode> = {}) =>
    submitNode({
      ...{ id, wallet, keepOrder: true, version: 2, waitFor: "accepted", follow: false, timeout: "60" },
      calls: [{ kind: "raw", to: value(RECEIVER), amount: value("payload", "msg") }],
      ...more,
    });
  const burst =
    "for (let payload = 1; payload <= msg.payload; payload += 1) node.send({ payload }); return null;";
  const deploy = (deadline = "15") => {
    const { url } = custodian;
    const signer = {
      ...{ id: "elsewhere", type: "custody-signer", url, address: harness.owner, timeoutMs: HOUR_MS },
    };
    return harness.deploy(
      [
        [coins("here", "wallet"), 2],
        [coins("submit", "custody", { deadline }), 2],
        [functionNode("burst", burst, ["submit"]), 0],
      ],
      [signer, walletNode(harness.service.ready, { id: "custody", signer: "elsewhere" })],
    );
  };
  const amounts = (from: number) => harness.sentAmounts(from);
  const kept = (): Promise<string[]> =>
    readdir(join(harness.userDir.path, "crec-waits", "submit")).catch(() => []);
  const approveAll = async () => {
    // The last one first.
    for (const request of [...custodian.requests].reverse()) await custodian.approve(request);
  };
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}`);
  /** Sends an operation of another signer, which is held up on its way: what comes later waits behind it in the line. */
  const holdUp = async () => {
    const held = Promise.withResolvers<void>();
    harness.holdNext(held.promise);
    const from = harness.proxy.passed.length;
    const first = harness.proxy.next(1, isSubmit);
    await harness.nodeRed.press("press-here", { payload: "1000" });
    await first;
    return { from, asked: custodian.requests.length, goOn: held.resolve };
  };

  // Ten are given to the node at once. After a stop it takes seconds until it is known that the former process has ended.
  for (const [what, again, count, id, test] of [
    ["a deploy", () => deploy(), 12, "here", it],
    ["a stop", () => harness.restart(), 25, "submit", itWide],
  ] as const) {
    test(`sends what waited for its signature over ${what} in the order of arrival, and a new message then`, async () => {
      await deploy();
      const asked = custodian.requests.length;
      await harness.nodeRed.press("press-burst", { payload: count });
      await custodian.asked(asked + count);
      await eventually("all of them are kept", kept, ({ length }) => length === count);
      const from = harness.proxy.passed.length;
      await again();
      const press = () => harness.nodeRed.press(`press-${id}`, { payload: "100" });
      const isPressed = () =>
        press().then(
          () => true,
          () => false,
        );
      await eventually("the flow has started", isPressed);
      if (id === "submit") await custodian.asked(asked + count + 1);
      await approveAll();
      await eventually("all of them are sent", () => amounts(from).length === count + 1);
      should(amounts(from)).deepEqual([...upTo(count), "100"]);
      await eventually("none is kept", kept, ({ length }) => length === 0);
    });
  }

  it("leaves the line with a node that a deploy closes, so that others go on", async () => {
    await deploy();
    const { from, asked, goOn } = await holdUp();
    await harness.nodeRed.press("press-burst", { payload: MESSAGES });
    await custodian.asked(asked + MESSAGES);
    await approveAll();
    await eventually("all of them are kept", kept, ({ length }) => length === MESSAGES);
    should(amounts(from)).deepEqual(["1000"]);
    // The first one is never answered: what waits behind it may not wait for it after the deploy.
    await deploy();
    await eventually("the others are sent", () => amounts(from).length === MESSAGES + 1);
    should(amounts(from)).deepEqual(["1000", ...upTo(MESSAGES)]);
    goOn();
    await eventually("none is kept", kept, ({ length }) => length === 0);
  });

  it("has an operation signed anew whose deadline has passed in the line", async () => {
    await deploy("0.05");
    const { from, asked, goOn } = await holdUp();
    await harness.nodeRed.press("press-submit", { payload: "1" });
    const before = await custodian.asked(asked + 1);
    await custodian.approve(before);
    const second = () => Math.floor(Date.now() / 1000);
    const late = second() + 3;
    await eventually("the deadline has passed", second, (now) => now > late);
    goOn();
    const anew = await custodian.asked(asked + 2);
    should(anew.digest).not.equal(before.digest);
    await custodian.approve(anew);
    await eventually("it is sent", () => amounts(from).length === 2);
    should(amounts(from)).deepEqual(["1000", "1"]);
    const [, sent] = harness.proxy.passed.slice(from).filter(isSubmit);
    should(JSON.parse(sent?.body ?? "{}").deadline).be.above(late);
  });
});
