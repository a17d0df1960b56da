import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { type Borrowed, borrowNodeRed } from "../support/borrowed-node-red.ts";
import { ask, harnessFlow, type Message, refuse } from "../support/flow-harness.ts";
import { freshId, type NodeRed } from "../support/node-red.ts";
import {
  channelNode,
  connectionNode,
  contractNode,
  createWatcherNode,
  manageNode,
} from "../support/nodes.ts";
import { type Passing, ServiceProxy } from "../support/proxy.ts";
import { startTestService } from "../support/service.ts";

/** Another connection, like another Node-RED, has not created what the message is about. */
describe("a message about what was just created", function () {
  this.timeout(60_000);

  let service: RunningService;
  let proxy: ServiceProxy;
  let borrowed: Borrowed;
  let nodeRed: NodeRed;

  before(async () => {
    [service, borrowed] = await Promise.all([startTestService(), borrowNodeRed()]);
    nodeRed = borrowed.nodeRed;
    proxy = await ServiceProxy.before(service.ready.base_url);
    const other = { connection: "late", channel: "late-channel" };
    await nodeRed.deploy(
      harnessFlow(
        [
          connectionNode(service.ready),
          connectionNode(service.ready, { id: "late", baseUrl: proxy.baseUrl }),
          channelNode({ createMissing: true }),
          channelNode({ id: "late-channel", connection: "late" }),
          contractNode(service.ready),
        ],
        [
          [createWatcherNode({ watcherName: "name", watcherNameType: "msg", timeout: "0" }), 2],
          [manageNode("watchers.get", { ...other, id: "get", target: "crec.watcherId" }), 1],
        ],
      ),
    );
  });

  after(async () => {
    await borrowed?.giveBack();
    await proxy?.close();
    await service?.close();
  });

  /** The service does not know the watcher the first times. Gives how often it was asked for it since. */
  const late = (watcherId: unknown, times: number) => {
    const isAbout = ({ path }: Passing) => path.endsWith(`/watchers/${watcherId}`);
    const from = proxy.passed.length;
    const asked = () => proxy.passed.slice(from).filter(isAbout).length;
    const body = '{"type":"NOT_FOUND","code":"WATCHER_NOT_FOUND","message":"unknown"}';
    proxy.harm = (passing) =>
      isAbout(passing) && asked() <= times ? { kind: "answer", status: 404, body } : undefined;
    return asked;
  };
  const create = () => ask(nodeRed, "watcher", { name: freshId() });

  it("says when, so that another connection waits until the service knows it", async () => {
    const { crec = {} } = await create();
    const { watcherId } = crec;
    should(crec.created)
      .have.property(String(watcherId))
      .approximately(Date.now() / 1000, 30);
    const asked = late(watcherId, 1);
    const { payload } = await ask(nodeRed, "get", { crec });
    should(payload).have.property("watcher_id", watcherId);
    should(asked()).equal(2);
  });

  it("is refused at once where it does not say so, or it was longer ago", async () => {
    const { crec = {} } = await create();
    const { created, ...silent } = crec;
    const old = { [String(crec.watcherId)]: Date.now() / 1000 - 31 };
    const odd = { [String(crec.watcherId)]: String(Date.now() / 1000) };
    for (const said of [silent, { ...silent, created: old }, { ...silent, created: odd }]) {
      const asked = late(crec.watcherId, Number.POSITIVE_INFINITY);
      const { error } = await refuse(nodeRed, "get", { crec: said });
      should(error).have.property("code", "WATCHER_NOT_FOUND");
      should(asked()).equal(1);
    }
  });

  it("loses what is too old on its way", async () => {
    const message: Message = { name: freshId(), crec: { created: { old: 1, [freshId()]: "odd" } } };
    const { crec = {} } = await ask(nodeRed, "watcher", message);
    should(Object.values(crec)).containEql(Object.keys(crec.created as object)[0]);
    should(crec.created).not.have.property("old");
  });
});
