import should from "should";
import type { ChannelNode } from "../../../nodes/common/fields/config-nodes.ts";
import { configNodes, helper, localService, runtime, settings } from "./support.ts";

helper.init(runtime, settings);

describe("channel node", () => {
  before(() => helper.startServer());
  after(() => helper.stopServer());
  afterEach(() => helper.unload());
  const nodes = configNodes;

  it("loads and closes", async () => {
    await helper.load(nodes, [{ id: "n1", type: "crec-channel", name: "mine" }]);
    should(helper.getNode("n1")).have.property("name", "mine");
    await helper.unload();
    should(helper.getNode("n1")).not.be.ok();
  });

  it("gives the id of its channel", async () => {
    const { flow, credentials } = await localService();
    await helper.load(nodes, flow, credentials);
    const { channel } = helper.getNode("channel") as ChannelNode;
    should(await channel.resolve(new AbortController().signal)).match(/^[0-9a-f-]{36}$/);
  });

  it("creates no channel by default", async () => {
    const { flow, credentials } = await localService();
    const n1 = { id: "n1", type: "crec-channel", connection: "connection", channel: "unknown" };
    await helper.load(nodes, [...flow, n1], credentials);
    const { channel } = helper.getNode("n1") as ChannelNode;
    await should(channel.resolve(new AbortController().signal)).be.rejectedWith({
      code: "CHANNEL_NOT_FOUND",
      // It may be there, for another key: to create one must not be the first advice.
      message:
        /or it is archived\. Check the name, .* API key belongs to its organization\. If both are right, create/,
    });
  });
});
