import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import should from "should";
import { signedText, spawnService, temporaryFolder } from "../../service/test/support.ts";
import type { EventEnvelope, VerifiableEvent } from "../../src/protocol/index.ts";
import { eventually } from "../support/eventually.ts";

/** Between a hundred blocks and the next: room for others. */
const PAUSE_MS = 100;

describe("a local chain that gets long under traffic", function () {
  this.timeout(1_200_000);

  it("drops its old blocks while it runs, and no event is lost or told twice", async () => {
    const folder = temporaryFolder();
    const running = await spawnService(folder.path);
    try {
      const { api, ready, errors } = running;
      const channelId = await api.channel();
      await api.transferWatcher(channelId);
      const pay = (amount: string) => api.ok("POST", "/local/faucet", { amount });
      await api.ok("POST", "/local/traffic", { transfersPerSecond: 5, readingsPerSecond: 0.5 });
      await pay("1001");
      const mined = mine(ready.rpc_url, 10_200);
      await eventually("old blocks to be dropped", () => /drops its old blocks/.test(errors()) || undefined, {
        withinMs: 900_000,
      });
      await pay("1002");
      await mined;
      await api.ok("POST", "/local/traffic", {});
      await pay("1003");
      const finalized = (all: EventEnvelope[]) => transfers(all).filter((line) => line.endsWith("finalized"));
      // A last transfer of the traffic may come after this one.
      const isWhole = (all: EventEnvelope[]) => finalized(all).length === transfers(all).length / 2;
      const events = await api.eventsUntil(
        channelId,
        (all) => finalized(all).includes("1003 finalized") && isWhole(all),
      );
      for (const amount of [1001, 1002, 1003]) {
        transfers(events)
          .filter((line) => line.startsWith(`${amount} `))
          .should.eql([`${amount} latest`, `${amount} finalized`]);
      }
      errors()
        .should.match(/runs again/)
        .and.not.match(/rolled back|reorganized|ended by itself|lost/);
      running.child.kill("SIGTERM");
      should(await running.exited).equal(0);
      const chain = join(folder.path, "chain");
      const sizes = readdirSync(chain).map((name) => statSync(join(chain, name)).size);
      Math.max(...sizes).should.be.below(5e6);
    } finally {
      running.child.kill("SIGKILL");
      await running.exited;
      folder.dispose();
    }
  });
});

function transfers(events: EventEnvelope[]): string[] {
  return events
    .filter(({ headers }) => headers.type === "watcher.event")
    .map((event) => signedText<VerifiableEvent>(event).chain_event)
    .map((event) => `${event?.params?.value} ${event?.confidence}`);
}

async function mine(rpcUrl: string, blocks: number): Promise<void> {
  // biome-ignore lint/plugin: the pace of the blocks
  for (let made = 0; made < blocks; made += 100) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "anvil_mine", params: ["0x64"] });
    const headers = { "content-type": "application/json" };
    await fetch(rpcUrl, { method: "POST", headers, body }).catch(() => undefined);
    await sleep(PAUSE_MS);
  }
}
