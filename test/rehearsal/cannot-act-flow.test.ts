import { join } from "node:path";
import should from "should";
import type { FlowNode } from "../../rehearsal/shared/job.ts";
import type { NodeReport, Report } from "../../rehearsal/shared/report.ts";
import { jobOf, rehearse } from "../support/rehearsal.ts";
import { ATTEMPTS } from "./support/attempts.ts";
import { Reachable, SECRET } from "./support/hostile.ts";

const TAB = "tab";

describe("rehearsal: a flow that cannot act", function () {
  this.timeout(180_000);
  let to: Reachable;
  let report: Report;
  let byId: Map<string, NodeReport>;

  before(async () => {
    to = await Reachable.open();
    report = await rehearse(
      jobOf([{ id: TAB, type: "tab", label: "Hostile" }, ...acting(to), ...hostile(to)]),
    );
    byId = new Map(report.nodes.map((node) => [node.id, node]));
  });

  after(() => to.close());

  it("sends nothing and writes no file", async () => {
    should(to.seen).eql({ tcp: 0, udp: 0, dns: 0, pipe: 0, signal: 0 });
    should(await to.written()).eql([]);
    should(JSON.stringify(report)).not.containEql(SECRET);
  });

  it("records what each node of Node-RED would have sent", () => {
    const reached = acting(to).filter(({ wires, type }) => wires !== undefined && type !== "inject");
    for (const { id, type } of reached) {
      const expected = isSource(type)
        ? { handling: "silent", received: 0 }
        : { handling: "recorded", received: 1 };
      should(byId.get(id)).containEql(expected);
    }
  });

  it("refuses what function nodes try, and says that it is a rehearsal", () => {
    const tried = report.nodes.filter(({ id }) => id.startsWith("try-"));
    should(tried).have.length(ATTEMPTS.length);
    const through = tried.filter(({ outcomes }) => outcomes.error === undefined);
    should(through.map(({ name }) => name)).eql(["its environment"]);
  });
});

/** Every node of Node-RED that reaches something, each with a message. */
function acting({ target, folder }: Reachable): FlowNode[] {
  const host = "127.0.0.1";
  const { tcp: port, udp, outside } = target;
  const config = (id: string, type: string, more: object = {}): FlowNode => ({ id, type, ...more });
  const out = (name: string, type: string, outputs: number, more: object = {}): FlowNode => ({
    id: `${name}-node`,
    type,
    z: TAB,
    ...more,
    wires: Array.from({ length: outputs }, () => []),
  });
  const nodes = [
    out("exec", "exec", 3, { command: `touch ${join(outside, "exec")}`, addpay: "", useSpawn: "false" }),
    out("request", "http request", 1, { method: "GET", url: `http://${host}:${port}/`, ret: "txt" }),
    out("http-in", "http in", 1, { url: "/x", method: "get" }),
    out("response", "http response", 0),
    out("tcp-out", "tcp out", 0, { host, port: String(port), beserver: "client" }),
    out("tcp-in", "tcp in", 1, {
      server: "client",
      host,
      port: String(port),
      datamode: "stream",
      datatype: "utf8",
    }),
    out("tcp-request", "tcp request", 1, { server: host, port: String(port), out: "time", splitc: "0" }),
    out("udp-out", "udp out", 0, {
      addr: host,
      port: String(udp),
      outport: "",
      ipv: "udp4",
      multicast: "false",
    }),
    out("udp-in", "udp in", 1, { port: "0", ipv: "udp4", multicast: "false", datatype: "utf8" }),
    out("socket-out", "websocket out", 0, { client: "client" }),
    out("socket-in", "websocket in", 1, { client: "client" }),
    out("mqtt-out", "mqtt out", 0, { broker: "broker", topic: "x" }),
    out("mqtt-in", "mqtt in", 1, { broker: "broker", topic: "x", qos: "0" }),
    out("file", "file", 1, { filename: join(outside, "node"), filenameType: "str", overwriteFile: "true" }),
    out("file-in", "file in", 1, {
      filename: join(outside, "secret.txt"),
      filenameType: "str",
      format: "utf8",
    }),
    out("watch", "watch", 1, { files: folder, recursive: false }),
  ];
  const sinks = nodes.filter(({ type }) => !isSource(type)).map(({ id }) => id);
  return [
    config("broker", "mqtt-broker", { broker: host, port: String(port), clientid: "", autoConnect: true }),
    config("client", "websocket-client", { path: `ws://${host}:${port}/`, tls: "tls" }),
    config("tls", "tls-config", { cert: join(outside, "secret.txt") }),
    config("proxy", "http proxy", { url: `http://${host}:${port}` }),
    inject("start", sinks),
    ...nodes,
  ];
}

function isSource(type: string): boolean {
  return / in$|^watch$/.test(type) && type !== "file in";
}

/** A function node for each attempt. */
function hostile({ target }: Reachable): FlowNode[] {
  const nodes = ATTEMPTS.map(({ name, code }, index) => ({
    id: `try-${index}`,
    type: "function",
    z: TAB,
    name,
    func: `const target = ${JSON.stringify(target)};\nmsg.payload = await (async () => { ${code} })();\nreturn msg;`,
    outputs: 1,
    wires: [[]],
  }));
  return [
    inject(
      "try",
      nodes.map(({ id }) => id),
    ),
    ...nodes,
  ];
}

function inject(id: string, to: string[]): FlowNode {
  return {
    id,
    type: "inject",
    z: TAB,
    once: true,
    onceDelay: 1,
    payload: "x",
    payloadType: "str",
    wires: [to],
  };
}
