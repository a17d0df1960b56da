import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import should from "should";
import { movedBack, stuckPages } from "../consumer/broken-services.ts";
import { startEventServer, storedEvent } from "../consumer/event-server.ts";
import { describeKills } from "../consumer/kill-suite.ts";
import { onAck } from "../consumer/on-ack.ts";
import { onSend } from "../consumer/on-send.ts";

describeKills(200);

describe("a consumer on a service of unknown habits, for long", function () {
  this.timeout(3_600_000);

  it("on send", () => fc.assert(onSend(), { numRuns: 20_000 }));
  it("on ack", () => fc.assert(onAck(), { numRuns: 20_000 }));
  it("on a channel started afresh", () => fc.assert(movedBack(), { numRuns: 5_000 }));
  it("on pages that do not advance", () => fc.assert(stuckPages(), { numRuns: 5_000 }));
});

describe("a consumer that has drained 200,000 events", function () {
  this.timeout(600_000);
  const COUNT = 200_000;

  for (const commit of ["on-send", "on-ack"]) {
    it(`holds at most 30 MB more than at the start, 50,000 remembered events included (${commit})`, async () => {
      const folder = await mkdtemp(join(tmpdir(), "heap-"));
      const server = await startEventServer(
        Array.from({ length: COUNT }, (_, index) => JSON.stringify(storedEvent(index + 1))),
      );
      try {
        const child = join(import.meta.dirname, "heap-child.ts");
        const cursor = join(folder, "cursor.json");
        const { stdout } = await promisify(execFile)(process.execPath, [
          "--expose-gc",
          child,
          server.baseUrl,
          cursor,
          commit,
          String(COUNT),
        ]);
        const { before, after } = JSON.parse(stdout);
        should(after - before).be.below(30);
      } finally {
        await server.close();
        await rm(folder, { recursive: true });
      }
    });
  }
});
