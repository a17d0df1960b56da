import { fileURLToPath } from "node:url";
import should from "should";
import type {
  RehearsalState,
  SavedFile,
  ShownDifferences,
  ShownReport,
  StartQuestion,
} from "../../plugins/rehearsal/types.ts";
import { type Borrowed, ownNodeRed } from "../support/borrowed-node-red.ts";
import { eventually } from "../support/eventually.ts";
import type { FlowNode } from "../support/node-red.ts";
import { channelNode, connectionNode, eventsInNode } from "../support/nodes.ts";
import { type Seeded, startSeededService } from "../support/seeded-service.ts";
import { itWide } from "../support/wide.ts";

const guarded = fileURLToPath(new URL("../nodes/admin-auth-settings.cjs", import.meta.url));
const EVENTS = 30;
const OF_SETTINGS = `functionGlobalContext=${JSON.stringify({ ofSettings: { password: "secret" } })}`;

/** Keys that are no paths, and values that are no JSON. */
const FILL_CONTEXT = `flow.set("count", 3);
  flow.set("'192.168.0.1'", "router");
  flow.set("'my key'", { nested: [1, { deep: true }] });
  flow.set("'it\\"s'", 1);
  flow.set("handle", () => 1);
  flow.set("big", 10n);
  context.set("n", 4);
  global.set("rate", 5);`;
const READ_CONTEXT = `msg.payload = { flow: {}, global: {}, n: context.get("n") };
  for (const key of flow.keys()) msg.payload.flow[key] = flow.get(key.includes('"') ? "'" + key + "'" : '"' + key + '"');
  for (const key of global.keys()) msg.payload.global[key] = global.get(key);
  return msg;`;

type Problem = { problem: string; code: string };

/** What the dialog of the editor asks, on a real Node-RED and a real service. */
describe("the endpoints of the rehearsal", function () {
  this.timeout(180_000);
  let service: Seeded;
  let borrowed: Borrowed;
  let flows: FlowNode[];

  before(async () => {
    [service, borrowed] = await Promise.all([
      startSeededService(EVENTS),
      ownNodeRed({}, { settings: guarded, token: "admin", define: [OF_SETTINGS] }),
    ]);
    const connection = connectionNode(service.ready);
    flows = [
      { id: "alarms", type: "tab", label: "Alarms" },
      connection,
      channelNode({ channel: service.channelName }),
      {
        ...eventsInNode(),
        ...node("reader", "crec-events-in", { channel: "channel", wires: [["each"], [], ["each"]] }),
      },
      node("each", "function", {
        func: "context.set('n', (context.get('n') || 0) + 1); return msg;",
        wires: [["post"]],
      }),
      node("post", "http request", { method: "POST", url: "https://chat.example/", wires: [[]] }),
    ];
    await borrowed.nodeRed.deploy([
      { id: "alarms", type: "tab", label: "Alarms" },
      connection,
      ...flows.slice(2, 3),
      node("each", "function", { initialize: FILL_CONTEXT, func: "return msg;", wires: [[]] }),
    ]);
  });
  after(async () => {
    await borrowed?.giveBack();
    await service?.close();
  });

  function node(id: string, type: string, properties: Partial<FlowNode>): FlowNode {
    return { id, type, z: "alarms", x: 1, y: 1, name: id, outputs: 1, libs: [], ...properties };
  }

  const fetched = (method: "GET" | "POST", path: string, body?: unknown, token = "admin") =>
    borrowed.nodeRed.fetch(`crec/rehearsal/${path}`, {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const get = async <T>(path: string) => (await (await fetched("GET", path)).json()) as T;
  const post = async <T>(path: string, body: unknown = {}) =>
    (await (await fetched("POST", path, body)).json()) as T;
  /** As the editor sends flows: without credentials. */
  const asSent = (nodes: readonly FlowNode[]) =>
    nodes.map(({ credentials: _, ...others }) => others as FlowNode & { wires?: string[][] });
  /** The flows with one node otherwise. */
  const changed = (id: string, properties: Partial<FlowNode>): Partial<StartQuestion> => ({
    flows: asSent(flows.map((one) => (one.id === id ? { ...one, ...properties } : one))),
  });
  const question = (changes: Partial<StartQuestion> = {}): StartQuestion => ({
    flows: asSent(flows),
    tabs: ["alarms"],
    span: { offsets: [1, EVENTS] },
    copyContext: false,
    askQueries: false,
    modules: [],
    seed: 1,
    goOn: 60,
    replies: {},
    ...changes,
  });
  const ended = () =>
    eventually(
      "the end of the rehearsal",
      () => get<RehearsalState>("progress"),
      ({ state }) => state !== "running",
      { pauseMs: 100 },
    );
  /** Starts one, and waits until it has ended. */
  const rehearse = async (changes: Partial<StartQuestion> = {}): Promise<RehearsalState> => {
    const started = await post<RehearsalState>("start", question(changes));
    should(started).have.property("state", "running");
    return ended();
  };
  const numberOf = (state: RehearsalState): number => {
    should(state).have.property("state", "done");
    return (state as { number: number }).number;
  };

  it("need the permission to change flows", async () => {
    should((await fetched("POST", "start", question(), "reader")).status).equal(401);
    should((await fetched("GET", "report?number=1", undefined, "reader")).status).equal(401);
  });

  it("say what is wrong with a question", async () => {
    const { code, problem } = await post<Problem>("start", { ...question(), span: { last: "24" } });
    should(code).equal("INVALID_REQUEST");
    should(problem).startWith('Send "span" as');
  });

  it("rehearse flows that are not deployed, over events of the connection or a file, and keep two to compare and save", async () => {
    const first = numberOf(await rehearse());
    const report = await get<ShownReport>(`report?number=${first}`);
    should(report.events.read).equal(EVENTS);
    should(report.nodes.find(({ id }) => id === "each")).containDeep({ received: EVENTS, sent: [EVENTS] });
    should(report.outcomes.filter(({ kind, node }) => kind === "sent" && node === "post").length).equal(
      EVENTS,
    );
    should(report.outcomes[0]).not.have.property("message");
    const { message } = await get<{ message: unknown }>(`message?number=${first}&outcome=0`);
    should(message).be.Object();

    const fewer = { func: "return msg.crec.offset > 10 ? msg : null;" };
    const state = await rehearse(changed("each", fewer));
    should(state).have.property("hasBefore", true);
    const second = numberOf(state);
    const { outcomes } = await get<ShownDifferences>(`differences?number=${second}`);
    should(outcomes.find(({ kind }) => kind === "sent")).containDeep({ before: EVENTS, node: "post" });
    const names: string[] = [];
    for (const kind of ["json", "html", "test"]) {
      const file = await get<SavedFile>(`file?number=${second}&kind=${kind}`);
      should(file.text).match(kind === "html" ? /^<!doctype html>/i : /^\{/);
      names.push(file.name);
    }
    should(names).deepEqual(["rehearsal.json", "rehearsal.html", "expect.json"]);

    // The file comes in parts.
    const { base_url, api_key } = service.ready;
    const headers = { authorization: `Apikey ${api_key}` };
    const ask = async (path: string) => (await fetch(`${base_url}${path}`, { headers })).json();
    const { data } = (await ask("/channels")) as { data: Array<{ channel_id: string; name: string }> };
    const channel = data.find(({ name }) => name === service.channelName);
    const { events } = (await ask(`/channels/${channel?.channel_id}/events?limit=20`)) as {
      events: unknown[];
    };
    const text = JSON.stringify({
      ...{ format: "crec-events", version: 1, events },
      channel: { id: channel?.channel_id, name: service.channelName },
    });
    const half = Math.ceil(text.length / 2);
    await post("upload", { upload: "one", index: 0, text: text.slice(0, half) });
    should(await post("upload", { upload: "two", index: 1, text: "" })).have.property(
      "code",
      "INVALID_REQUEST",
    );
    await post("upload", { upload: "one", index: 1, text: text.slice(half) });
    const third = numberOf(await rehearse({ span: { upload: "one" } }));
    should((await get<ShownReport>(`report?number=${third}`)).events.read).equal(events.length);
    should((await fetched("GET", `report?number=${second}`)).status).equal(200);
    should(await get<Problem>(`report?number=${first}`)).have.property("code", "INVALID_REQUEST");
  });

  itWide("copy the context of the deployed flows, and nothing of settings.js", async () => {
    const reading = changed("each", { func: READ_CONTEXT });
    const number = numberOf(await rehearse({ ...reading, copyContext: true, span: { offsets: [1, 1] } }));
    const { message } = await get<{ message: { payload: unknown } }>(`message?number=${number}&outcome=0`);
    should(message.payload).deepEqual({
      flow: { count: 3, "192.168.0.1": "router", "my key": { nested: [1, { deep: true }] }, 'it"s': 1 },
      global: { rate: 5 },
      n: 4,
    });
  });

  it("read by no connection that is not deployed as it was posted: its key would go elsewhere", async () => {
    const elsewhere = { baseUrl: "http://127.0.0.1:9/v1", name: "other" };
    const state = await rehearse(changed("connection", elsewhere));
    should(state).containDeep({ state: "failed", code: "DEPLOY_FIRST" });
    should((state as { why: string }).why).match(/connection "other" .* choose a file of events/);
  });

  it("run one at a time, which can be cancelled", async () => {
    const started = await post<RehearsalState>("start", question());
    should(started).have.property("state", "running");
    should(await post("start", question())).have.property("code", "REHEARSAL_RUNNING");
    await post("cancel");
    should(["REHEARSAL_CANCELLED", undefined]).containEql(((await ended()) as { code?: string }).code);
  });
});
