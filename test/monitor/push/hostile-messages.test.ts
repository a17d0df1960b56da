import { once } from "node:events";
import should from "should";
import { type Borrowed, ownNodeRed } from "../../support/borrowed-node-red.ts";
import { eventually } from "../../support/eventually.ts";

/** Text fails of it. */
const NO_TEXT = { toString: null, valueOf: null };

describe("messages that the editor never sends over its web socket", function () {
  this.timeout(120_000);

  let borrowed: Borrowed;
  before(async () => {
    borrowed = await ownNodeRed({});
  });
  after(() => borrowed?.giveBack());

  it("neither start updates nor end Node-RED", async () => {
    const { nodeRed } = borrowed;
    const socket = new WebSocket(`${nodeRed.url.replace("http", "ws")}comms`);
    await once(socket, "open");
    const topics: string[] = [];
    socket.addEventListener("message", ({ data }) => {
      for (const { topic } of JSON.parse(String(data)) as Array<{ topic: string }>) topics.push(topic);
    });
    const send = (topic: string, data: unknown) => socket.send(JSON.stringify({ topic, data }));
    for (const data of [undefined, null, 1, "x", [], {}, { ticket: NO_TEXT }, { ticket: [NO_TEXT] }]) {
      send("crec/monitor/open", data);
    }
    for (const data of [null, {}, { number: NO_TEXT }, { number: [NO_TEXT] }, { number: "1" }]) {
      send("crec/monitor/seen", data);
      send("crec/monitor/close", data);
    }
    // Messages come in order: when the answer to this ticket is there, all others have been read.
    const answer = await nodeRed.fetch("crec/monitor/open", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    should(topics).not.containEql("crec/monitor/update");
    const { ticket } = (await answer.json()) as { ticket: string };
    send("crec/monitor/open", { ticket });
    await eventually(
      "an update",
      () => topics,
      (seen) => seen.includes("crec/monitor/update"),
    );
    socket.close();
  });
});
