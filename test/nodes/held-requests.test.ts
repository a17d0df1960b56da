import { EventEmitter, once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Node, NodeAPI } from "node-red";
import should from "should";
import { processWide } from "../../nodes/common/process-wide.ts";
import { holdRequest, refuseRequest, takeRequest } from "../../nodes/common/tasks/requests.ts";
import { eventually } from "../support/eventually.ts";

/** With a real server, and of Node-RED only what says which nodes run. */
describe("a web request that is held over a deploy", () => {
  const server = createServer((_req, res) => void arrivals.emit("request", res));
  const arrivals = new EventEmitter();
  const events = new EventEmitter();
  const running = new Map<string, { type: string }>();
  const RED = {
    events,
    nodes: { getNode: (id: string) => running.get(id) ?? null },
    _: (key: string) => key,
  } as unknown as NodeAPI;
  const node = { id: "n", type: "crec-operation" } as Node;
  const held = () => processWide("held-requests", () => new Map<string, unknown>());

  before(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });

  beforeEach(() => {
    running.set("n", node);
  });

  after(() => {
    server.close();
  });

  /** A message as http in sends it, and what its client gets. */
  const ask = async () => {
    const arrived = once(arrivals, "request") as Promise<[ServerResponse]>;
    const leaving = new AbortController();
    const { port } = server.address() as AddressInfo;
    const init = { signal: leaving.signal, headers: { connection: "close" } };
    const answer = fetch(`http://127.0.0.1:${port}/`, init).then(
      async (response) => `${response.status} ${await response.text()}`,
      ({ name }: Error) => name,
    );
    const [response] = await arrived;
    return { msg: { req: {}, res: { _res: response } }, response, answer, leave: () => leaving.abort() };
  };
  const untilEmpty = () =>
    eventually(
      "nothing is held",
      () => held().size,
      (size) => size === 0,
    );

  it("is given back once, as it was", async () => {
    const { msg, response, answer } = await ask();
    holdRequest(RED, node, "a.json", msg);
    events.emit("flows:started");
    const { req, res } = takeRequest("a.json");
    should(req).equal(msg.req);
    should(res).equal(msg.res);
    should(takeRequest("a.json")).eql({});
    should(held().size).equal(0);
    should(events.listenerCount("flows:started")).equal(0);
    response.end("fine");
    should(await answer).equal("200 fine");
  });

  it("is forgotten when its client has gone, for each of its waits", async () => {
    const { msg, answer, leave } = await ask();
    for (const file of ["a.json", "b.json"]) holdRequest(RED, node, file, msg);
    should(held().size).equal(2);
    leave();
    await untilEmpty();
    should(await answer).equal("AbortError");
    should(events.listenerCount("flows:started")).equal(0);
    holdRequest(RED, node, "a.json", msg);
    should(held().size).equal(0);
  });

  it("is forgotten when it was answered, and not held any more", async () => {
    const { msg, response, answer } = await ask();
    holdRequest(RED, node, "a.json", msg);
    response.end("elsewhere");
    should(takeRequest("a.json")).eql({});
    holdRequest(RED, node, "a.json", msg);
    should(held().size).equal(0);
    refuseRequest(RED, msg);
    should(await answer).equal("200 elsewhere");
  });

  it("gets 503 at the first start of flows in which its node does not run", async () => {
    for (const gone of [() => running.delete("n"), () => running.set("n", { type: "debug" })]) {
      running.set("n", node);
      const { msg, answer } = await ask();
      holdRequest(RED, node, "a.json", msg);
      // Closed before it took up the wait.
      events.emit("flows:started");
      gone();
      events.emit("flows:started");
      should(await answer).equal("503 common.warning.request-unanswered");
      await untilEmpty();
      should(events.listenerCount("flows:started")).equal(0);
    }
  });

  it("is refused once, and is not what any message calls res", async () => {
    const { msg, answer } = await ask();
    refuseRequest(RED, msg);
    refuseRequest(RED, msg);
    should(msg).not.have.property("res");
    should(await answer).startWith("503 ");
    for (const res of [null, "text", [], { _res: null }, { end: () => should.fail(1, 2) }]) {
      refuseRequest(RED, { res });
      holdRequest(RED, node, "a.json", { res });
      should(held().size).equal(0);
    }
    const frozen = await ask();
    refuseRequest(RED, Object.freeze(frozen.msg));
    should(await frozen.answer).startWith("503 ");
  });
});
