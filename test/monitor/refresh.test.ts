import should from "should";
import { ACTIVITY_SETTINGS, reported } from "../support/activity.ts";
import { eventually } from "../support/eventually.ts";
import { channelNode, connectionNode, manageNode } from "../support/nodes.ts";
import { OperationHarness } from "../support/operation-harness.ts";
import { ServiceProxy } from "../support/proxy.ts";

type Refreshed = { watchers: number; wallets: number; problems: string[] };

/** What the button "Refresh" of the sidebar asks, on the real service. */
describe("the refresh of watchers and wallets", function () {
  this.timeout(120_000);

  let harness: OperationHarness;
  /** A second way to the same service. */
  let other: ServiceProxy;

  before(async () => {
    harness = await OperationHarness.start({}, { settings: ACTIVITY_SETTINGS });
    other = await ServiceProxy.before(harness.service.ready.base_url);
  });

  afterEach(() => {
    harness.proxy.harm = () => undefined;
  });

  after(async () => {
    await other?.close();
    await harness?.close();
  });

  const refresh = async (): Promise<Refreshed> => {
    const headers = { "content-type": "application/json" };
    const answer = await harness.nodeRed.fetch("crec/monitor/refresh", {
      method: "POST",
      headers,
      body: "{}",
    });
    return (await answer.json()) as Refreshed;
  };
  /** An answer is kept for five seconds. */
  const refreshAgain = (accept: (refreshed: Refreshed) => boolean) =>
    eventually("a refresh that asks again", refresh, accept);
  const call = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const { base_url, api_key } = harness.service.ready;
    const answer = await fetch(`${base_url}${path}`, {
      method,
      headers: { authorization: `Apikey ${api_key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    should(answer.ok).be.true(`${method} ${path}: ${answer.status}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  const addWatcher = async (channel: string, name: string): Promise<unknown> => {
    const { chain_selector, contracts } = harness.service.ready;
    const abi = [{ type: "event", name: "Ping", anonymous: false, inputs: [] }];
    const body = { name, chain_selector, address: contracts.DemoToken, events: ["Ping"], abi };
    return (await call("POST", `/channels/${channel}/watchers`, body)).watcher_id;
  };

  it("finds what no node has seen, and forgets what is gone", async () => {
    const { channel_id: channel } = await call("POST", "/channels", { name: "refreshed" });
    const watcher = await addWatcher(String(channel), "mine");
    await harness.deploy(
      [[manageNode("wallets.list"), 1]],
      [
        channelNode({ id: "second", channel: "refreshed" }),
        channelNode({ id: "missing", channel: "never-created", createMissing: true }),
      ],
    );
    const refreshed = await refresh();
    should(refreshed).match({ watchers: 1, wallets: 1, problems: [] });
    const seen = await reported(harness.nodeRed);
    should(seen.watchers.map(({ id, name, channelId }) => ({ id, name, channelId }))).containEql({
      ...{ id: watcher, name: "mine", channelId: channel },
    });
    should(seen.wallets[0]).match({ address: harness.wallet, service: harness.proxy.baseUrl });
    should(seen.wallets[0]).not.have.property("origin");
    const { data } = await call("GET", "/channels?name=never-created");
    should(data).be.empty();

    harness.proxy.harm = ({ path }) =>
      /\/(watchers|wallets)$/.test(path)
        ? { kind: "answer", status: 200, body: JSON.stringify({ data: [], has_more: false }) }
        : undefined;
    should(await refreshAgain(({ wallets }) => wallets === 0)).match({ watchers: 0, problems: [] });
    const after = await reported(harness.nodeRed);
    should(after.wallets).be.empty();
    should(after.watchers.map(({ id }) => id)).not.containEql(watcher);
  });

  it("asks once for requests at the same time, and soon after", async () => {
    await harness.deploy([[manageNode("wallets.list"), 1]]);
    const before = harness.proxy.passed.filter(({ path }) => path.endsWith("/wallets")).length;
    const [one, two] = await Promise.all([refresh(), refresh()]);
    should(two).deepEqual(one);
    should(await refresh()).deepEqual(one);
    const after = harness.proxy.passed.filter(({ path }) => path.endsWith("/wallets")).length;
    should(after - before).equal(1);
  });

  it("shows the error of one connection beside what the other has, and removes nothing for it", async () => {
    const { ready } = harness.service;
    const second = connectionNode(ready, {
      id: "elsewhere-connection",
      name: "Second",
      baseUrl: other.baseUrl,
    });
    await harness.deploy([[manageNode("wallets.list"), 1]], [second]);
    should((await refresh()).wallets).equal(2);
    const body = JSON.stringify({ type: "FORBIDDEN", message: "No." });
    other.harm = () => ({ kind: "answer", status: 403, body });
    const { wallets, problems } = await refreshAgain((refreshed) => refreshed.problems.length > 0);
    should(wallets).equal(1);
    should(problems).have.length(1);
    should(problems[0]).startWith("Second: The API key does not have the permission");
    should((await reported(harness.nodeRed)).wallets).have.length(1);
  });

  it("takes JSON only", async () => {
    const answer = await harness.nodeRed.fetch("crec/monitor/refresh", { method: "POST", body: "{}" });
    should(answer.status).equal(415);
  });
});
