import should from "should";
import { createdOf } from "../../nodes/common/messages/created.ts";
import { CrecClient } from "../../src/index.ts";

describe("what a message says was created a moment ago", () => {
  const client = new CrecClient({ baseUrl: "http://127.0.0.1:1", apiKey: "key" });
  after(() => client.close());

  it("is passed on without what is too old and what no clock can say", () => {
    const now = Math.floor(Date.now() / 1000);
    const said = {
      now,
      ahead: now + 30,
      old: now - 31,
      ms: Date.now(),
      far: 9e15,
      endless: Infinity,
      text: "x",
    };
    client.noteCreated("of this node", now);
    const { created } = createdOf(client, { crec: { created: said } }, { channelId: "of this node" });
    should(Object.keys(created ?? {})).deepEqual(["now", "ahead", "of this node"]);
  });
});
