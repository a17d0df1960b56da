import should from "should";
import { cursorStored } from "../support/cursor-file.ts";
import { type Arrival, EventHarness } from "../support/event-harness.ts";
import { harnessFlow } from "../support/flow-harness.ts";
import { NodeRed } from "../support/node-red.ts";
import { eventsInNode } from "../support/nodes.ts";

const EVENTS = 20;
const CONNECTED = "connected";
const WAITING = /^standby \(read by .+, since 20.+\)$/;

/** Two containers that were given the same user directory by mistake, or one that was started before the other ended. */
describe("two Node-REDs on one user directory", function () {
  this.timeout(180_000);

  let harness: EventHarness;
  const others: NodeRed[] = [];

  before(async () => {
    harness = await EventHarness.start(EVENTS, {});
  });

  after(async () => {
    for (const other of others) await other.kill();
    await harness?.close();
  });

  const launch = async () => {
    const other = await NodeRed.start(harness.userDir);
    others.push(other);
    return other;
  };
  const reader = (id: string) => eventsInNode({ id, consumer: id, verify: false });
  const offsets = (nodeRed: NodeRed, id: string) =>
    nodeRed.shown(`${id}:0`).map(({ value }) => (value as Arrival).crec.offset);
  const from = (first: number, last: number) => [...Array(last - first + 1).keys()].map((n) => first + n);
  const ids = ["one", "two"];
  /** Once both nodes have sent what came up to an offset. */
  const hasSent = (nodeRed: NodeRed, last: number) =>
    Promise.all(
      ids.map((id) => nodeRed.showing(`${id}:0`, (value) => (value as Arrival).crec.offset === last)),
    );
  const areAll = (nodeRed: NodeRed, status: string | RegExp) =>
    Promise.all(ids.map((id) => nodeRed.status(id, status)));

  it("each event is sent by one of them; the other says that it waits, and goes on when the first ends", async () => {
    const first = harness.nodeRed;
    await harness.deploy(ids.map((id) => [reader(id), 2]));
    await hasSent(first, EVENTS);

    const second = await launch();
    await areAll(second, WAITING);
    should(second.log).match(/This Node-RED is the standby: process \d+ on .* since 20.*crec-cursors/);
    should(second.log.match(/This Node-RED is the standby: process/g)).have.length(1);
    await harness.addEvents("for-the-first");
    await hasSent(first, EVENTS + 2);
    await first.stop();

    await areAll(second, CONNECTED);
    await harness.addEvents("for-the-second");
    await hasSent(second, EVENTS + 4);
    // A deploy does not give it away.
    const third = await launch();
    await areAll(third, WAITING);
    const flows = (await (await second.fetch("flows")).json()) as Parameters<NodeRed["deploy"]>[0];
    await second.deploy(flows);
    await areAll(second, CONNECTED);
    await harness.addEvents("after-the-deploy");
    await hasSent(second, EVENTS + 6);
    await areAll(third, WAITING);
    for (const id of ids) await cursorStored(harness.userDir, id, harness.service.ready);
    await second.kill();

    await areAll(third, CONNECTED);
    await harness.addEvents("for-the-third");
    await hasSent(third, EVENTS + 8);
    for (const id of ids) {
      should(offsets(first, id)).deepEqual(from(1, EVENTS + 2));
      should(offsets(second, id)).deepEqual(from(EVENTS + 3, EVENTS + 6));
      should(offsets(third, id)).deepEqual(from(EVENTS + 7, EVENTS + 8));
    }
    await third.stop();
  });

  it("one that stood still while the other took over sends nothing more, and does not touch the places", async () => {
    // Nodes of their own, which the one before has not served.
    const first = await launch();
    await first.deploy(
      harnessFlow(
        harness.config(),
        ids.map((id) => [eventsInNode({ id, consumer: `${id}-again`, verify: false }), 2]),
      ),
    );
    const end = EVENTS + 8;
    await hasSent(first, end);
    for (const id of ids) await cursorStored(harness.userDir, `${id}-again`, harness.service.ready);
    first.suspend();
    const second = await launch();
    await areAll(second, CONNECTED);
    await harness.addEvents("while-the-first-stood-still");
    await hasSent(second, end + 2);
    first.goOn();
    await areAll(first, WAITING);
    should(first.log).match(
      /This Node-RED was suspended for so long that another one took over: .*crec-cursors/,
    );
    await harness.addEvents("after-it-went-on");
    await hasSent(second, end + 4);
    for (const id of ids) {
      await cursorStored(harness.userDir, `${id}-again`, harness.service.ready);
      should(offsets(first, id)).deepEqual(from(1, end));
      should(offsets(second, id)).deepEqual(from(end + 1, end + 4));
    }
    await second.stop();
    // And when it is its turn again, it goes on where the other was.
    await areAll(first, CONNECTED);
    await harness.addEvents("when-it-is-alone");
    await hasSent(first, end + 6);
    for (const id of ids) should(offsets(first, id).slice(end)).deepEqual(from(end + 5, end + 6));
  });
});
