import should from "should";
import { eventually } from "../../support/eventually.ts";
import { hasParser, parsedBeside } from "../../support/metrics-parser.ts";
import { eventsInNode } from "../../support/nodes.ts";
import { OperationHarness, RECEIVER } from "../../support/operation-harness.ts";
import { submitNode } from "../../support/operation-nodes.ts";
import { metricNames } from "./metric-names.ts";

const TOKEN = "a-token-that-is-long-enough";
/** An amount that is found again in no other number. */
const AMOUNT = "739100000739";
const LONGEST_MS = 60_000;

type Health = { status: string; reasons: Array<{ code: string; message: string; node: string }> };
type Values = Record<string, number>;

/** What is served while real flows run on the real service. */
describe("a scrape of a running Node-RED", function () {
  this.timeout(120_000);

  let harness: OperationHarness;
  before(async function () {
    if (!hasParser()) return this.skip();
    harness = await OperationHarness.start({ CREC_MONITORING_TOKEN: TOKEN });
    await harness.deploy([
      // Later levels are followed for as long.
      [submitNode({ name: "Pay", timeout: "110" }), 2],
      [eventsInNode({ id: "events", name: "Payments", consumer: "payments" }), 3],
    ]);
  });
  after(() => harness?.close());
  afterEach(() => {
    harness.proxy.harm = () => undefined;
  });

  const get = (path: string, accept = "application/openmetrics-text") =>
    harness.nodeRed.fetch(path, { headers: { authorization: `Bearer ${TOKEN}`, accept } });
  const scraped = async (): Promise<Values> => {
    const families = await parsedBeside(await (await get("crec/metrics")).text(), "openmetrics");
    const samples = families.flatMap((family) => family.samples);
    return Object.fromEntries(
      samples.map(({ name, labels, value }) => [`${name} ${Object.values(labels).join(" ")}`.trim(), value]),
    );
  };
  const health = async () => {
    const response = await get("crec/health");
    return { http: response.status, ...((await response.json()) as Health) };
  };
  /** The first that `accept` takes. */
  async function until<T>(ask: () => Promise<T>, accept: (one: T) => boolean): Promise<T> {
    return eventually("other figures", ask, accept, { withinMs: LONGEST_MS });
  }

  it("counts what the flows did", async () => {
    await harness.ask("submit", { to: RECEIVER, payload: AMOUNT });
    const level = "crec_operation_level_seconds_count confirmed";
    const values = await until(
      scraped,
      (all) => (all[level] ?? 0) > 0 && (all["crec_events_checked_total payments verified"] ?? 0) > 2,
    );
    should(values).have.properties({
      "crec_health ok": 1,
      "crec_connections ok": 1,
      "crec_readers standby": 0,
      "crec_reader_reading payments": 1,
      "crec_events_checked_total payments rejected": 0,
      "crec_events_late_total payments": 0,
      "crec_operations_total reached": 1,
      "crec_operations_total failed": 0,
      "crec_calls_total /channels/{id}/operations POST 201": 1,
      [level]: 1,
    });
    should(values["crec_calls_total /channels/{id}/events GET 200"]).be.above(0);
    should(values["crec_call_duration_seconds_count /channels/{id}/events GET"]).be.above(0);
    should(values["crec_call_duration_seconds_sum /channels/{id}/events GET"]).be.within(0.0001, 60);
    should(values.crec_proof_check_duration_seconds_count).be.above(2);
    should(values["crec_operation_level_seconds_sum confirmed"]).be.within(0.01, 60);
    const delivered = values["crec_events_delivered_total payments"] ?? 0;
    const checked = ["verified", "unsigned"].map(
      (proof) => values[`crec_events_checked_total payments ${proof}`] ?? 0,
    );
    should(delivered).equal(checked.reduce((sum, one) => sum + one));
    should(Object.keys(values).filter((name) => / other\b/.test(name))).be.empty();
  });

  it("has no secret, address or amount in it", async () => {
    const texts = await Promise.all(
      [get("crec/metrics"), get("crec/metrics", "*/*"), get("crec/health")].map(async (answer) =>
        (await answer).text(),
      ),
    );
    const all = texts.join("\n").toLowerCase();
    should(all.length).be.above(5_000);
    const { ready } = harness.service;
    const secrets = [
      ready.api_key,
      harness.key,
      harness.key.slice(2),
      TOKEN,
      AMOUNT,
      RECEIVER,
      harness.wallet,
    ];
    for (const secret of [...secrets, harness.owner, ready.base_url])
      should(all.includes(secret.toLowerCase())).be.false(`${secret} is served`);
  });

  it("has no metric that the examples and the page do not know", async () => {
    const text = await (await get("crec/metrics", "*/*")).text();
    const declared = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name);
    should(declared.length).be.above(15);
    should(declared.filter((name) => !metricNames().includes(name))).be.empty();
  });

  it("is degraded, and not failing, while the service cannot be reached", async () => {
    await harness.proxy.goDown();
    try {
      const down = await until(health, ({ status }) => status !== "ok");
      should(down).have.properties({ http: 200, status: "degraded" });
      const { reasons } = await until(health, (one) =>
        one.reasons.some(({ code }) => code === "service_unreachable"),
      );
      should(reasons.find(({ code }) => code === "service_unreachable")?.message).match(
        /does not reach the service, and keeps trying/,
      );
      should((await harness.nodeRed.fetch("crec/health/live")).status).equal(200);
    } finally {
      await harness.proxy.comeBack();
    }
    should(await until(health, ({ status }) => status === "ok")).deepEqual({
      ...{ http: 200, status: "ok", reasons: [] },
    });
  });

  it("is failing where the key is refused, and says which connection", async () => {
    const body = JSON.stringify({ type: "UNAUTHORIZED", message: "No." });
    harness.proxy.harm = () => ({ kind: "answer", status: 401, body });
    const failing = await until(health, ({ status }) => status === "failing");
    should(failing.http).equal(503);
    const refused = failing.reasons.find(({ code }) => code === "key_refused");
    should(refused).have.property("node", "connection");
    should(refused?.message).match(/^The service refuses the key of "connection"\. Enter a valid key/);
    should((await scraped())["crec_health failing"]).equal(1);
    should((await harness.nodeRed.fetch("crec/health/live")).status).equal(200);
  });
});
