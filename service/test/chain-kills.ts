import { readFileSync } from "node:fs";
import { join } from "node:path";
import should from "should";
import { eventually } from "../../test/support/eventually.ts";
import { isAlive } from "../src/chain/anvil/processes.ts";
import { spawnService, temporaryFolder } from "./support.ts";

const VICTIMS = ["service", "anvil", "watchdog", "all"] as const;

/**
 * Kills the service, its anvil, its watchdog, and all of them at once, in turn and at any moment, under traffic: each
 * time the chain goes on from a block that is not below the newest one that was said to be saved.
 */
export async function survivesKillsOfTheChain({ rounds }: { rounds: number }): Promise<void> {
  const folder = temporaryFolder();
  const pidOf = (name: string) => Number(readFileSync(join(folder.path, "chain", `${name}.pid`), "utf8"));
  const start = async () => {
    const running = await spawnService(folder.path, { args: ["--log-level", "debug"] });
    await running.api.ok("POST", "/local/traffic", { transfersPerSecond: 20, readingsPerSecond: 20 });
    return running;
  };
  let running = await start();
  try {
    // biome-ignore lint/plugin: kills at random moments
    for (let round = 0; round < rounds; round += 1) {
      const { child, exited, errors } = running;
      const said = (what: RegExp) => [...errors().matchAll(what)].map(([, block]) => Number(block));
      const starts = () => said(/continues from block (\d+)\./g);
      const before = starts().length;
      await eventually("something to be saved", () => said(SAVED).length > 0 || undefined);
      // biome-ignore lint/plugin: as above
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 1500));
      const victim = VICTIMS[round % VICTIMS.length];
      const pids = { service: [child.pid], anvil: [pidOf("anvil")], watchdog: [pidOf("watchdog")] };
      const [anvil = 0] = pids.anvil;
      const killed = victim === "all" ? Object.values(pids).flat() : pids[victim ?? "service"];
      for (const pid of killed) process.kill(pid ?? 0, "SIGKILL");
      if (victim === "watchdog") {
        await eventually("another watchdog", () => pidOf("watchdog") !== pids.watchdog[0] || undefined);
        continue;
      }
      if (victim === "anvil") {
        await eventually("another chain", () => starts().length > before || undefined);
        const log = errors();
        const at = log.lastIndexOf("continues from block");
        should(starts().at(-1)).be.aboveOrEqual(lastSaved(log.slice(0, at)), `round ${round}`);
        continue;
      }
      await exited;
      running = await start();
      should(isAlive(anvil)).be.false();
      const [from = -1] = [...running.errors().matchAll(/continues from block (\d+)\./g)].map(([, block]) =>
        Number(block),
      );
      from.should.be.aboveOrEqual(lastSaved(errors()), `round ${round}`);
    }
    running.errors().should.not.match(/damaged/);
    const watchdog = pidOf("watchdog");
    const anvil = pidOf("anvil");
    running.child.kill("SIGTERM");
    should(await running.exited).equal(0);
    for (const pid of [watchdog, anvil]) isAlive(pid).should.be.false();
  } finally {
    running.child.kill("SIGKILL");
    await running.exited;
    folder.dispose();
  }
}

const SAVED = /state is saved up to block (\d+)\./g;

function lastSaved(log: string): number {
  return Number([...log.matchAll(SAVED)].at(-1)?.[1] ?? 0);
}
