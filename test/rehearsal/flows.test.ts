import should from "should";
import { chooseFlows } from "../../rehearsal/parent/flows/choose.ts";
import { makeJob } from "../../rehearsal/parent/make-job.ts";
import type { FlowNode } from "../../rehearsal/shared/job.ts";
import { example } from "../support/node-red.ts";

const at = { x: 1, y: 1, wires: [[]] };
const tab = (id: string, more = {}): FlowNode => ({ id, type: "tab", label: id, ...more });
const node = (id: string, type: string, z: string, more = {}): FlowNode => ({ id, type, z, ...at, ...more });
const idsOf = ({ flows }: { flows: readonly FlowNode[] }) => flows.map(({ id }) => id);

describe("the flows of a rehearsal", () => {
  it("are the chosen tabs with all that is on them, in their order", () => {
    const all = [
      tab("a"),
      tab("b", { disabled: true }),
      node("group", "group", "b"),
      node("junction", "junction", "b"),
      node("other", "debug", "a"),
      node("one", "debug", "b", { d: true }),
    ];
    const chosen = chooseFlows(all, ["b"]);
    should(idsOf(chosen)).deepEqual(["b", "group", "junction", "one"]);
    should(chosen.flows[0]).have.property("disabled", true);
    should(chosen.flows[3]).have.property("d", true);
  });

  it("have the tabs at the other end of links, whichever end names the link, and those of these", () => {
    const all = [
      tab("a"),
      tab("b"),
      tab("c"),
      tab("d"),
      tab("e"),
      node("out", "link out", "a", { links: ["in"] }),
      node("in", "link in", "b", { links: [] }),
      node("call", "link call", "b", { links: ["called"], linkType: "static" }),
      node("called", "link in", "c", { links: [] }),
      // What only has the name of a link is not one.
      node("text", "template", "d", { links: ["out"] }),
    ];
    should(idsOf(chooseFlows(all, ["a"]))).containDeep(["a", "b", "c"]);
    should(idsOf(chooseFlows(all, ["c"])).sort()).deepEqual(["a", "b", "c", "call", "called", "in", "out"]);
  });

  it("note a link call that finds its target only when it runs", () => {
    const all = [tab("a"), node("call", "link call", "a", { linkType: "dynamic", links: [] })];
    should(chooseFlows(all, ["a"]).notes).match([
      { kind: "not-found", node: "call", text: /choose their tabs/i },
    ]);
  });

  it("have the subflows that they use, those within them, and their config nodes", () => {
    const all: FlowNode[] = [
      { id: "global", type: "global-config", env: [] },
      tab("a"),
      { id: "outer", type: "subflow", name: "outer", env: [{ name: "LEVEL", type: "str", value: "1" }] },
      { id: "inner", type: "subflow", name: "inner" },
      { id: "unused", type: "subflow", name: "unused" },
      node("use", "subflow:outer", "a"),
      node("nested", "subflow:inner", "outer"),
      node("alone", "debug", "unused"),
      { id: "scoped", type: "crec-contract", z: "outer" },
      node("events", "crec-events-in", "inner", { channel: "channel", rows: [{ contract: "deep" }] }),
      { id: "channel", type: "crec-channel", connection: "connection" },
      { id: "connection", type: "crec-connection" },
      { id: "deep", type: "crec-contract" },
      { id: "lonely", type: "crec-signer" },
    ];
    const chosen = chooseFlows(all, ["a"]);
    const left = ["unused", "alone", "lonely"];
    should(idsOf(chosen)).deepEqual(all.map(({ id }) => id).filter((id) => !left.includes(id)));
    should(chosen.flows.find(({ id }) => id === "outer")?.env).deepEqual([
      { name: "LEVEL", type: "str", value: "1" },
    ]);
  });

  it("have no credentials, and name no variable that is one", () => {
    const all: FlowNode[] = [
      tab("a", {
        credentials: { map: { secret: "${TAB_SECRET_VALUE}" } },
        env: [
          { name: "hidden", type: "cred", value: "${HIDDEN}" },
          { name: "limit", type: "env", value: "LIMIT" },
        ],
      }),
      node("use", "http request", "a", {
        connection: "connection",
        password: "${PASS}",
        url: "${WEB_ADDRESS}",
        headers: [{ keyType: "other", key: "authorization", valueType: "env", value: "SERVICE_TOKEN" }],
      }),
      node("again", "change", "a", { rules: [{ t: "set", p: "x", pt: "msg", to: "SHARED", tot: "env" }] }),
      {
        id: "connection",
        type: "crec-connection",
        baseUrl: "${CREC_BASE_URL}",
        apiKey: "in the open",
        credentials: { apiKey: "${CREC_API_KEY}", other: "${SHARED}" },
      },
    ];
    const { flows, variables, notes } = chooseFlows(all, ["a"]);
    should(JSON.stringify(flows)).not.match(/credentials|HIDDEN|PASS|in the open|TAB_SECRET/);
    should(variables).deepEqual(["CREC_BASE_URL", "LIMIT", "WEB_ADDRESS"]);
    should(notes).match([{ kind: "variables", text: /SERVICE_TOKEN, SHARED\.$/ }]);
    should(all[0]).have.property("credentials");
  });

  it("name the variables of fields in all their forms, and code only by env.get", () => {
    const all = [
      tab("a", { env: [{ name: "OWN_TOKEN", type: "str", value: "x" }] }),
      node("f", "function", "a", {
        func: "return `${NOT_THIS}` + env.get('V8') + env.get( \"V8_TOKEN\" ) + env.get('OWN_TOKEN')",
        initialize: "${NOR_THIS}",
        finalize: "env.get(`V9`)",
      }),
      node("t", "template", "a", {
        template: "{{env.W1}} {{{ env.W2 }}} {{& env.W3}} {{payload.env.NOT_THIS}}",
      }),
      node("i", "inject", "a", { props: [{ p: "payload", v: "V1", vt: "env" }] }),
      node("s", "switch", "a", {
        property: "V2",
        propertyType: "env",
        rules: [{ t: "eq", v: "x ${V3} ${V4}", vt: "env" }],
      }),
      node("c", "change", "a", { rules: [{ t: "set", p: "a", to: '$env("V5") & "x"', tot: "jsonata" }] }),
      node("o", "debug", "a", { name: "$(V6)", deep: { list: ["${V7}"] }, text: "not ${ALONE}" }),
    ];
    const { variables, notes } = chooseFlows(all, ["a"]);
    should(variables.join(" ")).equal("V1 V2 V3 V4 V5 V6 V7 V8 V9 W1 W2 W3");
    should(notes).match([{ kind: "variables", text: /: V8_TOKEN\.$/ }]);
  });

  it("say which tab is not there, or that one must be chosen", () => {
    should(() => chooseFlows([tab("a")], ["b"])).throw(/tab with the id b/, { code: "TAB_NOT_FOUND" });
    should(() => chooseFlows([tab("a")], [])).throw(/at least one tab/, { code: "TAB_NOT_FOUND" });
  });

  it("make a job, of which the environment is only what they name", async () => {
    const flows = (await example("02-large-transfer-alert")) as unknown as FlowNode[];
    const { id = "" } = flows.find(({ type }) => type === "tab") ?? {};
    const chosen = chooseFlows(flows, [id]);
    should(chosen.flows.map(({ type }) => type)).containDeep([
      "crec-connection",
      "crec-channel",
      "crec-alert",
    ]);
    const job = makeJob({
      chosen,
      span: { from: 1, to: 2 },
      snapshot: { networks: [], wallets: [], channels: [] },
      environment: { CREC_BASE_URL: "http://127.0.0.1:1", CREC_API_KEY: "secret", HOME: "/home" },
      context: { global: { open: () => {}, big: 1n, count: 1 }, flows: { [id]: { list: [1] } }, nodes: {} },
      limits: { paths: 3 },
    });
    should(job.environment).deepEqual({ CREC_BASE_URL: "http://127.0.0.1:1" });
    should(job.context).deepEqual({ global: { count: 1 }, flows: { [id]: { list: [1] } }, nodes: {} });
    should(job).match({ seed: 1, language: "en-US", askQueries: false, modules: [], replies: {} });
    should(job.limits).match({ paths: 3, messageBytes: 4_096 });
  });
});
