import { once } from "node:events";
import should from "should";
import type { Update } from "../../plugins/monitor/types.ts";
import { eventsInNode } from "../support/nodes.ts";
import { OperationHarness } from "../support/operation-harness.ts";
import { submitNode } from "../support/operation-nodes.ts";
import { spellings } from "./diagnostics/canaries.ts";

const TOKEN = "monitoring-token-Zq-4711";
const PERSON = `0x${"c0ffee".repeat(6)}beef`;
const TOO_MUCH = String(10n ** 30n);

type Frame = { topic: string; data: Update };

/** Diagnostics have a test of their own. */
describe("what the monitor shows", function () {
  this.timeout(120_000);

  let harness: OperationHarness;
  let socket: WebSocket | undefined;
  before(async () => {
    harness = await OperationHarness.start({ CREC_MONITORING_TOKEN: TOKEN });
  });
  after(async () => {
    socket?.close();
    await harness?.close();
  });

  const answered = async (path: string, init: RequestInit = {}) =>
    (await harness.nodeRed.fetch(path, init)).text();
  const post = (path: string) =>
    answered(path, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });

  it("has no key, no token and no parameter of an event", async () => {
    const { api_key: apiKey } = harness.service.ready;
    const reads = eventsInNode({ types: ["watcher.event", "operation.status"] });
    await harness.deploy([[submitNode({ name: "Pay" }), 2]], [reads]);
    const { ticket } = JSON.parse(await post("crec/monitor/open")) as { ticket: string };
    const frames: string[] = [];
    const opened = new WebSocket(`${harness.nodeRed.url.replace("http", "ws")}comms`);
    socket = opened;
    await once(opened, "open");
    const send = (topic: string, data: object) => opened.send(JSON.stringify({ topic, data }));
    const isFailed = new Promise<void>((resolve) => {
      opened.addEventListener("message", ({ data }) => {
        for (const frame of JSON.parse(String(data)) as Frame[]) {
          if (frame.topic !== "crec/monitor/update") continue;
          frames.push(JSON.stringify(frame));
          send("crec/monitor/seen", { number: frame.data.number });
          if (frame.data.changes.operations?.set.some(({ outcome }) => outcome === "failed")) resolve();
        }
      });
    });
    send("crec/monitor/open", { ticket });
    await harness.ask("submit", { to: PERSON, payload: "1" });
    await harness.refuse("submit", { to: PERSON, payload: TOO_MUCH });
    await isFailed;
    // A service can repeat the key that it refuses.
    harness.proxy.harm = ({ path }) =>
      path.includes("/wallets")
        ? {
            kind: "answer",
            status: 403,
            body: JSON.stringify({ type: apiKey, code: apiKey, message: apiKey }),
          }
        : undefined;
    const refreshed = await post("crec/monitor/refresh");
    const headers = { authorization: `Bearer ${TOKEN}` };
    const shown = [
      ...[...frames, refreshed, await post("crec/monitor/issues/run")],
      ...[await answered("crec/metrics", { headers }), await answered("crec/health", { headers })],
    ].join("\n");
    should(shown.includes(`status="403"`)).be.true("No call was refused.");
    // The frames are among it.
    should(shown.includes(harness.wallet)).be.true();
    for (const secret of [
      apiKey,
      harness.key,
      harness.key.slice(2),
      TOKEN,
      PERSON,
      PERSON.slice(2),
      TOO_MUCH,
    ]) {
      for (const spell of spellings) should(shown.includes(spell(secret))).be.false(`${secret} is shown`);
      should(shown.toLowerCase().includes(secret.toLowerCase())).be.false(`${secret} is shown`);
    }
    should(harness.nodeRed.log).not.containEql(TOKEN);
  });
});
