import { createHmac } from "node:crypto";
import should from "should";
import { Broker } from "../support/broker.ts";
import { RunningExample } from "../support/example.ts";
import type { FlowNode } from "../support/node-red.ts";
import { Outlet } from "../support/outlet.ts";

const OUTLETS = ["Slack", "Discord", "Telegram", "PagerDuty", "MQTT", "webhook"];
const TITLE = "A sample";
const SECRET = "a secret for signatures";
const [TOKEN, KEY] = ["123456:bot-token", "0123456789abcdef0123456789abcdef"];

type Json = Record<string, unknown>;

describe("the example outlets for alerts", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  let broker: Broker;
  let outlet: Outlet;
  /** What an outlet received first, which is the alert, and last. */
  const first = (path: string) => outlet.received(path)[0];
  const last = (path: string) => outlet.received(path).at(-1);
  const bodyOf = (path: string, which = first) => JSON.parse(which(path)?.body ?? "null") as Json;
  /** Where the alert goes with MQTT, and how often it did. */
  const published = () => broker.published("crec/alerts/critical");
  let times: number;
  /** Presses a button, and waits until each outlet has said what became of it. */
  const press = async (button: string, result: "accepted" | "failed", outlets = OUTLETS) => {
    const all = outlets.map((name) => flow.next(`${name} ${result}`));
    await flow.press(button);
    return Promise.all(all);
  };

  before(async () => {
    [broker, outlet] = await Promise.all([Broker.start(), Outlet.start()]);
    flow = await RunningExample.start("21-outlets", {
      env: {
        ...{ MQTT_HOST: "127.0.0.1", MQTT_PORT: String(broker.port) },
        ...{ SLACK_WEBHOOK_URL: outlet.url("/slack"), DISCORD_WEBHOOK_URL: outlet.url("/discord") },
        ...{ TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_CHAT_ID: "-100200300", PAGERDUTY_ROUTING_KEY: KEY },
        ...{ ALERT_WEBHOOK_URL: outlet.url("/webhook"), ALERT_SECRET: SECRET },
      },
      change: (flows) => flows.map((node) => quicker(withStandIns(node, outlet))),
    });
    await flow.nodeRed.status(flow.id("mqtt out"), "node-red:common.status.connected");
    await press("Alert", "accepted");
    times = published().length;
    // Each test that needs an alert raises one.
    await press("Recovered", "accepted");
  });
  after(async () => {
    await flow?.close();
    await Promise.all([broker?.close(), outlet?.close()]);
  });

  it("sends an alert to each outlet", () => {
    should(outlet.received().map(({ headers }) => headers["content-type"])).matchEach("application/json");
    should(published()[0]).match({ title: TITLE, severity: "critical" });
    should(times).equal(1);
  });

  it("sends Slack no markup that the alert did not mean", () => {
    const text = String(bodyOf("/slack").text);
    should(text).startWith(`🔴 *${TITLE}*\n`);
    should(text).containEql("&lt;This&gt; is").and.not.containEql("<");
  });

  it("sends Discord a message that wakes nobody by a name in it", () => {
    should(bodyOf("/discord")).have.property("allowed_mentions", { parse: [] });
    should(String(bodyOf("/discord").content)).containEql("@everyone");
  });

  it("sends Telegram plain text, to the chat", () => {
    const body = bodyOf(`/bot${TOKEN}/sendMessage`);
    should(body).have.property("chat_id", "-100200300");
    should(body).not.have.property("parse_mode");
    should(String(body.text)).startWith(`🔴 ${TITLE}\n`);
  });

  it("triggers an incident of PagerDuty", () => {
    const body = bodyOf("/pagerduty");
    should(body).have.properties({ routing_key: KEY, event_action: "trigger" });
    should(body.payload).have.properties({ severity: "critical", source: "Node-RED" });
    should((body.payload as Json).summary)
      .be.a.String()
      .and.startWith(`${TITLE}: `);
    should(body.dedup_key).be.a.String().and.not.be.empty();
  });

  it("signs what it sends to a webhook", () => {
    const received = first("/webhook");
    const headers: Record<string, unknown> = received?.headers ?? {};
    const body = received?.body ?? "";
    const signed = [headers["webhook-id"], headers["webhook-timestamp"], body].join(".");
    const wanted = createHmac("sha256", SECRET).update(signed).digest("base64");
    should(headers["webhook-signature"]).equal(`v1,${wanted}`);
    should(JSON.parse(body)).have.properties({ kind: "alert", title: TITLE });
  });

  it("resolves the incident when the alert has recovered", async () => {
    await press("Alert", "accepted");
    const { dedup_key } = bodyOf("/pagerduty", last);
    const raised = last("/webhook");
    await press("Recovered", "accepted");
    should(bodyOf("/pagerduty", last)).have.properties({ event_action: "resolve", dedup_key });
    should(String(bodyOf("/slack", last).text)).startWith("🟢 ");
    should(last("/webhook")?.headers["webhook-id"]).not.equal(raised?.headers["webhook-id"]);
  });

  it("says which outlets failed, and why", async () => {
    outlet.answer = 500;
    await broker.stop();
    const why = await press("Alert", "failed");
    should(why.slice(0, 4)).matchEach(/HTTP status 500/);
    should(why[4]).match(/timeout/);
    outlet.answer = 0;
    await press(
      "Recovered",
      "failed",
      OUTLETS.filter((name) => name !== "MQTT"),
    );
    // A URL or a token in the message of an error would be in the sidebar.
    for (const secret of [outlet.url(), TOKEN, KEY]) {
      should(JSON.stringify(flow.nodeRed.shown())).not.containEql(secret);
    }
    outlet.answer = 200;
    await broker.restart();
    await flow.nodeRed.status(flow.id("mqtt out"), "node-red:common.status.connected");
  });

  it("reported no other error", () => {
    should(flow.values("error")).be.empty();
  });
});

function withStandIns(node: FlowNode, outlet: Outlet): FlowNode {
  if (node.type !== "tab") return node;
  const env = [
    { name: "TELEGRAM_URL", value: outlet.url("").replace(/\/$/, ""), type: "str" },
    { name: "PAGERDUTY_URL", value: outlet.url("/pagerduty"), type: "str" },
  ];
  return { ...node, env };
}

/** Twenty seconds are too long for a test. */
function quicker(node: FlowNode): FlowNode {
  return node.type === "link call" ? { ...node, timeout: "4" } : node;
}
