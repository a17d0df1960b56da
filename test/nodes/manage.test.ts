import { randomUUID } from "node:crypto";
import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { type Borrowed, borrowNodeRed } from "../support/borrowed-node-red.ts";
import { ask, harnessFlow, type Message, refuse } from "../support/flow-harness.ts";
import type { NodeRed } from "../support/node-red.ts";
import {
  channelNode,
  connectionNode,
  contractNode,
  createWatcherNode,
  manageNode,
} from "../support/nodes.ts";
import { ServiceProxy } from "../support/proxy.ts";
import { startTestService } from "../support/service.ts";

/** What the messages table does not test: networks, queries, and waits that fail. */
describe("manage", function () {
  this.timeout(120_000);

  let service: RunningService;
  let proxy: ServiceProxy;
  let borrowed: Borrowed;
  let nodeRed: NodeRed;

  before(async () => {
    [service, borrowed] = await Promise.all([startTestService(), borrowNodeRed()]);
    proxy = await ServiceProxy.before(service.ready.base_url);
    nodeRed = borrowed.nodeRed;
    await nodeRed.deploy(
      harnessFlow(
        [
          connectionNode(service.ready, { baseUrl: proxy.baseUrl }),
          channelNode({ createMissing: true }),
          contractNode(service.ready),
        ],
        [
          [manageNode("networks.get", { id: "network" }), 1],
          [manageNode("queries.list", { id: "queries", connection: "", channel: "channel" }), 1],
          [manageNode("queries.get", { id: "query", connection: "", channel: "channel" }), 1],
          [createWatcherNode({ watcherName: "payload", watcherNameType: "msg" }), 2],
          [manageNode("watchers.get", { id: "get", connection: "" }), 1],
          [manageNode("watchers.archive", { id: "archive", connection: "" }), 1],
          [manageNode("watchers.archive", { id: "impatient", timeout: "1" }), 1],
          [manageNode("watchers.archive", { id: "misset", timeout: "soon" }), 1],
          [manageNode("channels.list", { id: "list", timeout: "soon" }), 1],
        ],
      ),
    );
  });

  after(async () => {
    await borrowed?.giveBack();
    await proxy?.close();
    await service?.close();
  });

  afterEach(() => {
    proxy.harm = () => undefined;
  });

  const watch = async (name: string): Promise<Record<string, unknown>> => {
    const { crec = {} } = await ask(nodeRed, "watcher", { payload: name });
    return { channelId: crec.channelId, watcherId: crec.watcherId };
  };
  const check = ({ error, crec }: Message, code: string, ids: Record<string, unknown>) => {
    should(error?.code).equal(code, error?.message);
    should(error?.message).match(/^[A-Z"].*[.]( It said: .*)?$/s);
    should(crec ?? {}).match(ids);
  };

  it("gets a network by its name or its chain selector", async () => {
    const byName = await ask(nodeRed, "network", { payload: "Local anvil" });
    should(byName.payload).have.property("chain_selector", service.ready.chain_selector);
    const bySelector = await ask(nodeRed, "network", { payload: service.ready.chain_selector });
    should(bySelector.payload).deepEqual(byName.payload);
    check(await refuse(nodeRed, "network", { payload: "Atlantis" }), "NETWORK_NOT_FOUND", {});
  });

  it("lists the queries of a channel and gets one, by the channel's connection", async () => {
    should((await ask(nodeRed, "queries", {})).payload).deepEqual([]);
    const { channelId } = await watch("for-queries");
    const created = await fetch(`${service.ready.base_url}/channels/${channelId}/queries`, {
      method: "POST",
      headers: { authorization: `Apikey ${service.ready.api_key}`, "content-type": "application/json" },
      body: JSON.stringify({
        idempotency_key: randomUUID(),
        query_kind: "evm_call",
        chain_selector: service.ready.chain_selector,
        params: {
          contract_address: service.ready.contracts.DemoToken,
          call_data: "0x18160ddd",
          block_selection: { type: "latest" },
        },
      }),
    });
    const { query_id: queryId } = (await created.json()) as { query_id: string };
    const listed = await ask(nodeRed, "queries", {});
    should(listed.payload).match([{ query_id: queryId }]);
    should(listed.odd).deepEqual([]);
    const { payload, crec, odd } = await ask(nodeRed, "query", { payload: queryId });
    should(payload).have.properties({ query_id: queryId, query_kind: "evm_call" });
    should(crec).have.properties({ channelId, queryId, status: (payload as { status: string }).status });
    should(odd).deepEqual([]);
    const unknown = randomUUID();
    const caught = await refuse(nodeRed, "query", { payload: unknown });
    check(caught, "QUERY_NOT_FOUND", { channelId, queryId: unknown });
  });

  it("archives a watcher once when the action is repeated", async () => {
    const ids = await watch("archived-twice");
    const first = await ask(nodeRed, "archive", { payload: ids.watcherId });
    should(first.crec).match({ ...ids, status: "archived" });
    const texts = nodeRed.statuses("archive").map(({ text }) => text);
    should(texts.at(-1)).equal("archived");
    const asked = proxy.passed.filter(({ method }) => method === "PATCH").length;
    const second = await ask(nodeRed, "archive", { payload: ids.watcherId });
    should(second.payload).deepEqual(first.payload);
    should(proxy.passed.filter(({ method }) => method === "PATCH")).have.length(asked);
  });

  it("reports a watcher that could not be archived, with its id", async () => {
    const ids = await watch("stays");
    let archiving = false;
    proxy.harm = ({ method, path }) => {
      if (method === "PATCH") archiving = true;
      const isLook = archiving && method === "GET" && path.endsWith(String(ids.watcherId));
      const change = (body: string) => body.replace(/"status":"\w+"/, '"status":"failed"');
      return isLook ? { kind: "change", change } : undefined;
    };
    const caught = await refuse(nodeRed, "archive", { payload: "stays" });
    check(caught, "WATCHER_ARCHIVE_FAILED", { ...ids, status: "failed" });
    await nodeRed.status("archive", ({ fill }) => fill === "red");
  });

  it("ends a wait at the timeout, and reports the ids", async () => {
    const ids = await watch("slow");
    proxy.harm = ({ method, path }) => {
      const change = (body: string) => body.replace(/"status":"\w+"/, '"status":"archiving"');
      return method === "GET" && path.endsWith(String(ids.watcherId))
        ? { kind: "change", change }
        : undefined;
    };
    const caught = await refuse(nodeRed, "impatient", { payload: ids.watcherId });
    check(caught, "WAIT_TIMEOUT", { ...ids, status: "archiving" });
    proxy.harm = () => undefined;
    should((await ask(nodeRed, "archive", { payload: ids.watcherId })).crec).match({ status: "archived" });
  });

  it("checks the timeout before anything is sent, and only for actions that wait", async () => {
    const { watcherId } = await watch("waited-for");
    const asked = proxy.passed.length;
    check(await refuse(nodeRed, "misset", { payload: watcherId }), "INVALID_FIELD", {});
    should(proxy.passed).have.length(asked);
    should((await ask(nodeRed, "list", {})).payload).be.an.Array();
    should((await ask(nodeRed, "get", { payload: watcherId })).crec).match({ status: "active" });
  });
});
