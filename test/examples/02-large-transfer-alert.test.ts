import { readFileSync } from "node:fs";
import { join } from "node:path";
import should from "should";
import { Broker } from "../support/broker.ts";
import { cursorStored } from "../support/cursor-file.ts";
import { eventually } from "../support/eventually.ts";
import { RunningExample } from "../support/example.ts";
import { type FlowNode, freshId, idOf } from "../support/node-red.ts";
import { itWide } from "../support/wide.ts";

type Alert = {
  id: string;
  title: string;
  text: string;
  severity: string;
  event: { transactionHash: string; tokens: { value: string } };
};
type Page = { events: Array<{ event_id: string; payload: { verifiable_event?: string } }> };

const TOPIC = "crec/alerts/large-transfer";
const TEXT = /^250 tokens went from 0x\S+ to 0x0000\S*0d02$/i;

describe("the example alert on a large transfer", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  let broker: Broker;
  const again = freshId();
  /** All large transfers, and the alerts that were published. */
  const large: string[] = [];
  const alerts = () => broker.published(TOPIC) as Alert[];
  const published = (transaction: string) =>
    broker.publishing(TOPIC, (alert) => (alert as Alert).event.transactionHash === transaction);

  before(async () => {
    broker = await Broker.start();
    flow = await RunningExample.start("02-large-transfer-alert", {
      alone: true,
      env: { MQTT_HOST: "127.0.0.1", MQTT_PORT: String(broker.port) },
      change: (flows) => [
        // Twenty seconds are too long for a test; on a busy machine, an alert takes more than one.
        ...flows.map((node) => (node.type === "link call" ? { ...node, timeout: "4" } : node)),
        deliverAgain(again, flows),
      ],
    });
    should(await flow.pressed("Set up", "ready")).equal("active");
  });
  after(async () => {
    await flow?.close();
    await broker?.close();
  });

  /** Whatever happened in between. */
  afterEach("each large transfer was published exactly once", () => {
    should(alerts().map(({ event }) => event.transactionHash)).deepEqual(large);
    should(new Set(alerts().map(({ id }) => id)).size).equal(large.length);
    should(flow.values("error")).be.empty();
    should(flow.values("rejected")).be.empty();
  });

  /** Makes a large transfer, and waits until it is published and acknowledged; `meanwhile` comes before that. */
  async function publishLarge(meanwhile = async () => {}): Promise<Alert> {
    const before = flow.values("processed").length;
    const transaction = await flow.pressed<string>("Large: 250 tokens", "sent");
    large.push(transaction);
    await meanwhile();
    const alert = (await published(transaction)) as Alert;
    const processed = () => flow.values<string>("processed").slice(before);
    // It says which alert was acknowledged.
    const [text] = await eventually("an acknowledged alert", processed, ({ length }) => length > 0);
    should(text).match(TEXT);
    return alert;
  }

  it("publishes a large transfer, as text and as numbers", async () => {
    const alert = await publishLarge();
    should(alert).have.properties({ title: "Large transfer", severity: "warning" });
    should(alert.text).match(TEXT);
    should(alert.event.tokens.value).equal("250");
    should(alert.id).be.a.String().and.not.be.empty();
  });

  it("skips small transfers, whose amount is compared as a number", async () => {
    // As text, "30" is greater than "200".
    const passed = flow.next("skipped", (why) => why === "small");
    await flow.press("Small: 30 tokens");
    await passed;
  });

  it("publishes nothing again when the same proofs arrive under other ids", async () => {
    await publishLarge();
    const { data } = await flow.call<{ data: [{ channel_id: string }] }>("GET", "/channels");
    const { events } = await flow.call<Page>("GET", `/channels/${data[0].channel_id}/events?limit=200`);
    // events in lets only these through.
    const transfers = events.filter(({ payload }) =>
      Buffer.from(payload.verifiable_event ?? "", "base64").includes('"finalized"'),
    );
    should(transfers.length).be.aboveOrEqual(large.length);
    const seenBefore = () => flow.values("skipped").filter((why) => why === "seen_before").length;
    const before = seenBefore();
    for (const event of transfers) {
      const copy = { ...event, event_id: `${event.event_id.slice(0, -1)}f` };
      await flow.nodeRed.press(again, { crec: { event: copy, eventId: copy.event_id } });
    }
    await eventually("the skipped transfers", seenBefore, (count) => count >= before + transfers.length);
  });

  it("loses no alert while the broker is down, and publishes each once when it is up again", async () => {
    await broker.stop();
    const before = alerts().length;
    await publishLarge(async () => {
      // Delivered, not published, and delivered again.
      await flow.next("retried", (attempt) => Number(attempt) === 1);
      await flow.next("retried", (attempt) => Number(attempt) === 2);
      should(alerts()).have.length(before);
      await broker.restart();
    });
  });

  itWide("publishes nothing again after Node-RED was killed and restarted", async () => {
    await publishLarge();
    await cursorStored(flow.userDir, "large-transfers", flow.service.ready);
    // Processed keys are in a separate file.
    const seen = join(flow.userDir.path, "crec-seen", `${flow.id("crec-verify-event")}.log`);
    await eventually(
      `${large} in the file of what was seen`,
      () => readFileSync(seen, "utf8").toLowerCase(),
      (text) => large.every((hash) => text.includes(hash.toLowerCase())),
    );
    await flow.restart();
    await flow.nodeRed.status(flow.id("crec-events-in"), "connected");
    await publishLarge();
  });
});

/** A button that sends an event to verify event again. */
function deliverAgain(id: string, flows: readonly FlowNode[]): FlowNode {
  const tab = idOf(flows, "tab");
  return { id, type: "inject", z: tab, name: "", props: [], wires: [[idOf(flows, "crec-verify-event")]] };
}
