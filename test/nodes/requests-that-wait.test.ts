import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import should from "should";
import { eventually } from "../support/eventually.ts";
import { functionNode, harnessFlow, type Message } from "../support/flow-harness.ts";
import { type FlowNode, freshId } from "../support/node-red.ts";
import { connectionNode } from "../support/nodes.ts";
import { OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { submitNode } from "../support/operation-nodes.ts";
import type { Passing } from "../support/proxy.ts";
import { itWide } from "../support/wide.ts";
import { withoutEnd } from "../support/without-end.ts";

const isLook = ({ path }: Passing) => path.endsWith("/events/search");

const SLIM = "return { ...msg, req: undefined, res: undefined, hasRes: !!msg.res };";
const SEARCH: FlowNode = {
  ...{ id: "submit", type: "crec-search-events", connection: "connection", channel: "channel" },
  wires: [["short"]],
};

/** No file can hold a connection, so the process does. */
describe("a web request whose message waits", function () {
  this.timeout(120_000);

  let harness: OperationHarness;

  before(async () => {
    harness = await OperationHarness.start();
  });

  afterEach(() => {
    harness.proxy.harm = () => undefined;
  });

  after(async () => {
    await harness?.close();
  });

  /** http in, what waits, http response; an error is answered, too, where catch gets it. */
  const flow = (more: Partial<FlowNode> = {}): Array<[FlowNode, number]> => [
    [
      {
        ...{ id: "asked", type: "http in", method: "get", url: "/asked" },
        ...{ upload: false, swaggerDoc: "", wires: [["prepare"]] },
      },
      1,
    ],
    [
      functionNode(
        "prepare",
        `msg.probe = msg.payload.probe; msg.crec = { operationKey: msg.payload.key }; msg.to = "${RECEIVER}"; msg.payload = "1"; return msg;`,
        ["submit"],
      ),
      1,
    ],
    [submitNode({ wires: [["slim", "short"], ["told"]], ...more }), 2],
    // A request is too large to be shown.
    [functionNode("slim", SLIM, ["slim-look-0"]), 1],
    [functionNode("told", SLIM, ["told-look-0"]), 1],
    [functionNode("short", "msg.payload = msg.crec.status; return msg;", ["answer"]), 1],
    [{ id: "answer", type: "http response", statusCode: "", headers: {}, wires: [] }, 0],
    [{ id: "caught", type: "catch", scope: ["submit"], uncaught: false, wires: [["sorry"]] }, 1],
    [functionNode("sorry", "msg.statusCode = 500; msg.payload = msg.error.code; return msg;", ["answer"]), 1],
  ];
  const letGo = () => {
    harness.proxy.harm = () => undefined;
  };
  /** Asks, and is back when the node waits for the operation: how that ends stays hidden. */
  const ask = async (
    key = freshId(),
  ): Promise<{ probe: string; answer: Promise<string>; leave: () => void }> => {
    harness.proxy.harm = (passing) => (isLook(passing) ? { kind: "change", change: withoutEnd } : undefined);
    const probe = freshId();
    const leaving = new AbortController();
    const answer = harness.nodeRed
      .fetch(`asked?probe=${probe}&key=${key}`, { signal: leaving.signal })
      .then(async (response) => `${response.status} ${await response.text()}`)
      .catch(({ name }: Error) => name);
    await harness.toldAt("told:0", probe, "accepted");
    return { probe, answer, leave: () => leaving.abort() };
  };
  const resumed = async (of: string): Promise<Message> => {
    const { value } = await harness.nodeRed.showing("slim:0", (shown) => (shown as Message).probe === of);
    return value as Message;
  };
  const refused = /^503 The flow was stopped before it could answer this request\. What it requested may/;

  it("is answered once by the message that goes on after a deploy, and after two", async () => {
    await harness.deploy(flow());
    const { probe, answer } = await ask();
    await harness.deploy(flow({ name: "once" }));
    await harness.deploy(flow({ name: "twice" }));
    letGo();
    should(await answer).match(/^200 confirmed/);
    should((await resumed(probe)).crec).have.property("resumed", true);
    should(harness.seenAt("slim:0", probe)).have.length(1);
    should(harness.nodeRed.log).not.match(/ERR_HTTP_HEADERS_SENT|Cannot set headers/);
  });

  itWide("is answered after a deploy of the node alone", async () => {
    await harness.deploy(flow());
    const { answer } = await ask();
    await harness.deploy(flow({ name: "alone" }), [], "nodes");
    letGo();
    should(await answer).match(/^200 confirmed/);
  });

  it("gets 503 at once where its node is deleted", async () => {
    await harness.deploy(flow());
    const { answer } = await ask();
    await harness.deploy(flow().filter(([{ id }]) => id !== "submit"));
    should(await answer).match(refused);
  });

  it("gets 503 at once where its node is disabled; the wait goes on later, without it", async () => {
    await harness.deploy(flow());
    const { probe, answer } = await ask();
    await harness.deploy(flow({ d: true }));
    should(await answer).match(refused);
    await harness.deploy(flow());
    letGo();
    should(await resumed(probe)).have.property("hasRes", false);
  });

  for (const type of ["full", "nodes"] as const) {
    it(`gets 503 at once where the form does not resume, by the deploy type ${type}`, async () => {
      await harness.deploy(flow({ resume: false }));
      const { answer } = await ask();
      await harness.deploy(flow({ resume: false, name: `not resumed ${type}` }), [], type);
      should(await answer).match(refused);
      should(harness.nodeRed.log).not.match(/ERR_HTTP_HEADERS_SENT|Cannot set headers/);
    });
  }

  itWide("gets 503 at once where the form does not resume any more", async () => {
    await harness.deploy(flow());
    const { answer } = await ask();
    await harness.deploy(flow({ resume: false }));
    should(await answer).match(refused);
  });

  itWide("gets 503 at once where the connection is to another service now", async () => {
    await harness.deploy(flow());
    const { answer } = await ask();
    const elsewhere = connectionNode(harness.service.ready, { baseUrl: "https://elsewhere.example/v1" });
    const changed = harness.config().map((node) => (node.id === "connection" ? elsewhere : node));
    await harness.nodeRed.deploy(harnessFlow(changed, flow()));
    should(await answer).match(refused);
  });

  itWide("gets 503 where the message arrives again, which is the one that is answered", async () => {
    await harness.deploy(flow());
    const key = freshId();
    const first = await ask(key);
    await harness.deploy(flow());
    const second = await ask(key);
    should(await first.answer).match(refused);
    letGo();
    should(await second.answer).match(/^200 confirmed/);
  });

  itWide("gets 503 where the file of the wait is damaged", async () => {
    await harness.deploy(flow());
    const { answer } = await ask();
    const folder = join(harness.userDir.path, "crec-waits", "submit");
    const [file = ""] = await readdir(folder);
    await writeFile(join(folder, file), "{");
    await harness.deploy(flow());
    should(await answer).match(refused);
    await rm(join(folder, file));
  });

  itWide("is answered from inside a subflow, and gets 503 without its instance", async () => {
    const subflow: FlowNode[] = [
      {
        ...{ id: "sub", type: "subflow", name: "sub", in: [{ wires: [{ id: "inner" }] }] },
        out: [0, 1].map((port) => ({ wires: [{ id: "inner", port }] })),
      },
      { ...submitNode({ id: "inner" }), z: "sub", x: 1, y: 1, wires: [[], []] },
    ];
    const instance: [FlowNode, number] = [
      { id: "submit", type: "subflow:sub", wires: [["slim", "short"], ["told"]] },
      1,
    ];
    const nodes = flow().map((one) => (one[0].id === "submit" ? instance : one));
    await harness.deploy(nodes, subflow);
    const goesOn = await ask();
    await harness.deploy(nodes, subflow);
    letGo();
    should(await goesOn.answer).match(/^200 confirmed/);
    const dropped = await ask();
    await harness.deploy(
      nodes.filter((one) => one !== instance),
      subflow,
    );
    should(await dropped.answer).match(refused);
  });

  itWide("gets 503 at once from a node that never resumes", async () => {
    const asked = flow().map(([node, ports]): [FlowNode, number] =>
      node.id === "submit" ? [SEARCH, 1] : [node, ports],
    );
    await harness.deploy(asked);
    harness.proxy.harm = () => ({ kind: "stall" });
    const searched = harness.proxy.next(1, () => true);
    const answer = harness.nodeRed.fetch("asked").then(async (response) => response.status);
    await searched;
    await harness.deploy(flow());
    should(await answer).equal(503);
  });

  it("that has ended meanwhile is forgotten: the message goes on without it", async () => {
    await harness.deploy(flow());
    const { probe, answer, leave } = await ask();
    leave();
    should(await answer).equal("AbortError");
    await harness.deploy(flow());
    letGo();
    should(await resumed(probe)).have.property("hasRes", false);
    await eventually(
      "http response says that there is nobody",
      () => harness.nodeRed.log,
      (log) => log.includes("No response object"),
    );
  });
});
