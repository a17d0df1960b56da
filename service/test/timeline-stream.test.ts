import { once } from "node:events";
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import should from "should";
import { eventually } from "../../test/support/eventually.ts";
import { TimelineStream } from "../src/timeline/feed.ts";

const FRAME = `data: ${"x".repeat(100_000)}\n\n`;

/** Entries without end, as no service makes them so quickly: the sockets themselves hold some megabytes. */
describe("a client of the time line that reads too slowly", () => {
  let server: Server;
  let stream: TimelineStream;
  let response: ServerResponse;
  let client: IncomingMessage;
  let reads: number;
  /** Reads stop here. */
  let last: number;

  beforeEach(async () => {
    reads = 0;
    last = Number.POSITIVE_INFINITY;
    server = createServer((_request, answer) => {
      response = answer;
      const read = (sequence: number) => {
        if (sequence >= last) return undefined;
        reads += 1;
        return { text: FRAME, sequence: sequence + 1 };
      };
      stream = new TimelineStream(response, read, { text: ": start\n\n", sequence: 0 }, { stalledMs: 1 });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    [client] = (await once(get({ port, host: "127.0.0.1", agent: false }), "response")) as [IncomingMessage];
    client.on("error", () => {});
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Until nothing more is read from the store. */
  const blocked = () =>
    eventually("the stream to wait for its client", async () => {
      const before = reads;
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
      stream.advance();
      return before > 0 && reads === before ? reads : undefined;
    });

  it("is sent no more than its connection holds, and the rest when it reads again", async () => {
    const held = await blocked();
    for (let count = 0; count < 100; count += 1) stream.advance();
    should(reads).equal(held);
    last = held + 20;
    let size = 0;
    client.on("data", (chunk: Buffer) => {
      size += chunk.length;
    });
    const all = last * FRAME.length + ": start\n\n".length;
    await eventually("all entries", () => (size === all ? true : undefined));
    should(reads).equal(last);
  });

  it("is closed when it has not read for some time", async () => {
    await blocked();
    await eventually("the stream to end", () => {
      stream.heartbeat();
      return response.destroyed ? true : undefined;
    });
  });

  it("does not delay a stop", async () => {
    await blocked();
    stream.end();
    should(response.destroyed).be.true();
  });
});
