import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import should from "should";
import { ConsumerMemory } from "../../nodes/events-in/consumer-memory.ts";

describe("the mark of a consumer that has run", () => {
  let userDir: string;
  before(async () => {
    userDir = await mkdtemp(join(tmpdir(), "crec-ran-"));
  });
  after(() => rm(userDir, { recursive: true, force: true, maxRetries: 5 }));

  const identity = { consumer: "a", channelId: "c", service: "https://example.com" };
  const of = (changed: Partial<typeof identity> = {}) =>
    new ConsumerMemory({ settings: { userDir } } as unknown as NodeAPI, {} as Node, { ...identity, ...changed });

  it("is of its name, channel and service only, whatever the name is", async () => {
    const names = ["a", "b/../c", "\ud83d", "\ud83e", "x".repeat(5_000)];
    for (const consumer of names) {
      should(await of({ consumer }).isKnown()).be.false();
      await of({ consumer }).note();
      should(await of({ consumer }).isKnown()).be.true();
    }
    should(await of({ channelId: "d" }).isKnown()).be.false();
    should(await of({ service: "https://example.org" }).isKnown()).be.false();
    should((await stat(join(userDir, "crec-started/a.json"))).mode & 0o77).equal(0);
  });
});
