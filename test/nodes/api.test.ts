import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { type Borrowed, borrowNodeRed } from "../support/borrowed-node-red.ts";
import { ask, harnessFlow, refuse } from "../support/flow-harness.ts";
import type { NodeRed } from "../support/node-red.ts";
import { apiNode, connectionNode } from "../support/nodes.ts";
import { ServiceProxy } from "../support/proxy.ts";
import { startTestService } from "../support/service.ts";

/** The requests that api call makes from its fields. */
describe("api call", function () {
  this.timeout(120_000);

  let service: RunningService;
  let proxy: ServiceProxy;
  let borrowed: Borrowed;
  let nodeRed: NodeRed;

  before(async () => {
    [service, borrowed] = await Promise.all([startTestService(), borrowNodeRed()]);
    proxy = await ServiceProxy.before(service.ready.base_url);
    nodeRed = borrowed.nodeRed;
    const query = { query: "query", queryType: "msg" };
    await nodeRed.deploy(
      harnessFlow(
        [connectionNode(service.ready, { baseUrl: proxy.baseUrl })],
        [
          [apiNode(query), 1],
          [
            apiNode({
              id: "typed",
              query: '{"limit": 1, "status": ["active", "archived"]}',
              queryType: "json",
            }),
            1,
          ],
          [apiNode({ id: "patch", method: "PATCH", body: "body", bodyType: "msg", ...query }), 1],
          [apiNode({ id: "emptied", query: "", queryType: "msg" }), 1],
          [apiNode({ id: "post", method: "POST", body: "body", bodyType: "msg" }), 1],
        ],
      ),
    );
  });

  after(async () => {
    await borrowed?.giveBack();
    await proxy?.close();
    await service?.close();
  });

  it("adds query parameters, repeats lists, and leaves out empty ones", async () => {
    await ask(nodeRed, "typed", { payload: "/channels" });
    should(proxy.passed.at(-1)).have.property("query", "?limit=1&status=active&status=archived");
    const query = { name: "a b&c", limit: 5, offset: "", status: [], none: null };
    await ask(nodeRed, "api", { payload: "/channels", query });
    should(proxy.passed.at(-1)).have.property("query", "?name=a+b%26c&limit=5");
    await ask(nodeRed, "api", { payload: "/channels?limit=2", query: {} });
    should(proxy.passed.at(-1)).have.property("query", "?limit=2");
  });

  it("refuses an invalid query before anything is sent", async () => {
    const asked = proxy.passed.length;
    for (const query of ["limit=5", 5, ["a"], { limit: { is: 5 } }, { list: [[1]] }]) {
      const { error } = await refuse(nodeRed, "api", { payload: "/channels", query });
      should(error?.code).equal("INVALID_FIELD");
    }
    should(proxy.passed).have.length(asked);
  });

  it("refuses a message without the query or the body that it should have: nothing is not everything", async () => {
    const asked = proxy.passed.length;
    for (const [id, name] of [
      ["api", "query"],
      ["patch", "query"],
      ["post", "body"],
    ] as const) {
      for (const nothing of [{}, { [name]: null }, { [name]: " " }]) {
        const { error } = await refuse(nodeRed, id, { payload: "/channels", ...nothing });
        should(error?.code).equal("MISSING_VALUE");
        should(error?.message).match(id === "post" ? /^"Body" .*msg\.body/ : /^"Query" .*msg\.query/);
      }
    }
    should(proxy.passed).have.length(asked);
    await ask(nodeRed, "emptied", { payload: "/networks" });
    should(proxy.passed.at(-1)).have.property("query", "");
  });

  it("refuses a path that leaves the base URL, before anything is sent", async () => {
    const asked = proxy.passed.length;
    for (const payload of ["channels", "/../local/faucet"]) {
      const { error } = await refuse(nodeRed, "api", { payload });
      should(error?.code).equal("INVALID_FIELD");
      should(error?.message).startWith(`"Path" cannot be "${payload}". A path starts with /`);
    }
    should(proxy.passed).have.length(asked);
  });

  it("changes a resource, shows that it is done, and sends the HTTP code along", async () => {
    const { payload } = await ask(nodeRed, "post", { payload: "/channels", body: { name: "made" } });
    const { channel_id } = payload as { channel_id: string };
    await nodeRed.status("post", ({ text, code }) => text === "done" && code === "201");
    const path = `/channels/${channel_id}`;
    const changed = await ask(nodeRed, "patch", { payload: path, query: {}, body: { name: "renamed" } });
    should(changed.payload).have.properties({ channel_id, name: "renamed" });
    should(changed.crec).deepEqual({ status: 200 });
  });
});
