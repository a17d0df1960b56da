import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../errors.ts";
import { type Log, silentLog } from "../../log.ts";
import { storageProblem } from "../../store/database.ts";
import { findAnvil, type Listening, launch, StateRefused } from "./launch.ts";
import { awaitPredecessor, forget, record } from "./processes.ts";
import { KEPT_BLOCKS, newestSnapshot, removeUnfinished, setAside } from "./snapshots.ts";
import { type Exclusively, Watchdog } from "./watchdog.ts";

/** The service's own anvil. One that ends by itself is restarted, at the same address and from its saved state. */
export type Anvil = {
  readonly rpcUrl: string;
  readonly pid: number;
  /** Called when it ends by itself. The promise resolves when it answers again: true, or false if it was stopped before. */
  onEnd: ((restarted: Promise<boolean>) => void) | undefined;
  /** How its state is read while nothing else changes the chain. */
  exclusively: Exclusively;
  /** Whether it has so many old blocks that saving takes long: `renew` drops them. */
  readonly isLong: boolean;
  /** Restarts it from its saved state, without old blocks. Its pool must be empty. */
  renew(): Promise<boolean>;
  /** It is not restarted after this call. */
  giveUp(): void;
  /** Saves its state and ends it, within two seconds where the state is below 20 MB. A longer stop is logged. */
  stop(): Promise<void>;
};

/** With more blocks than this, a stop may take more than two seconds. */
const LONG_BLOCKS = 4000;
/** Between attempts to restart: the first pause, and the longest. */
const RESTART_PAUSE_MS = { first: 100, longest: 5000 };
const LOG_AFTER_MS = 2000;

type AnvilOptions = {
  log?: Log;
  port?: number;
  /** The block up to which everything has been read. Later blocks are never dropped. */
  neededAfter?: () => number;
};

type Running = Listening & { watchdog: Watchdog; oldest: number };

/**
 * Starts anvil from the newest whole snapshot in `folder`, saves its state there, and ends it when this process is
 * gone. Port 0 chooses a free one.
 *
 * @throws ServiceProblem when there is no anvil for this machine, or it does not start.
 */
export async function startAnvil(
  folder: string,
  { log = silentLog(), port: wanted = 0, neededAfter = () => Number.POSITIVE_INFINITY }: AnvilOptions = {},
): Promise<Anvil> {
  mkdirSync(folder, { recursive: true });
  await awaitPredecessor(folder, log);
  await removeUnfinished(folder);
  const exclusively: Exclusively = (work) => anvil.exclusively(work);
  const runOn = (onPort: number) =>
    run(folder, { port: onPort, log, neededAfter: neededAfter(), exclusively });
  let running = await runOn(wanted);
  const { port } = running;
  const stopped = new AbortController();
  let restarting: Promise<boolean> | undefined;

  const guard = ({ child, watchdog }: Running) =>
    child.once("exit", (code, signal) => {
      if (stopped.signal.aborted || restarting !== undefined) return;
      log.warn(
        `The local chain (anvil) ended by itself (${signal ?? `code ${code}`}). Restarting it from its saved state.`,
      );
      const restarted = startAgain(watchdog);
      anvil.onEnd?.(restarted);
    });
  /** After the old one has saved its state: two must not write one snapshot. */
  const startAgain = (watchdog: Watchdog): Promise<boolean> => {
    restarting = watchdog
      .end()
      .then(untilItRuns)
      .finally(() => {
        restarting = undefined;
      });
    return restarting;
  };
  const untilItRuns = async (): Promise<boolean> => {
    let reported: string | undefined;
    for (
      let pause = RESTART_PAUSE_MS.first;
      !stopped.signal.aborted;
      pause = Math.min(2 * pause, RESTART_PAUSE_MS.longest)
    ) {
      try {
        running = await runOn(port);
        guard(running);
        log.info("The local chain runs again.");
        return true;
      } catch (error) {
        const problem = storageProblem(error, folder)?.message ?? messageOf(error);
        if (problem !== reported) log.error(problem);
        reported = problem;
        await sleep(pause, undefined, { signal: stopped.signal }).catch(() => undefined);
      }
    }
    return false;
  };

  const anvil: Anvil = {
    rpcUrl: `http://127.0.0.1:${port}`,
    get pid() {
      return running.pid;
    },
    onEnd: undefined,
    exclusively: (work) => work(),
    get isLong() {
      const { block } = running.watchdog.saved;
      return block - running.oldest > LONG_BLOCKS && neededAfter() >= block - KEPT_BLOCKS;
    },
    renew() {
      log.info("The local chain drops its old blocks: it is restarted from its saved state.");
      return restarting ?? startAgain(running.watchdog);
    },
    giveUp: () => stopped.abort(),
    async stop() {
      stopped.abort();
      await restarting;
      const { bytes } = running.watchdog.saved;
      const slow = setTimeout(
        () => log.info(`Saving the chain's state (${Math.round(bytes / 1e6)} MB). This takes a while.`),
        LOG_AFTER_MS,
      );
      await end(running);
      clearTimeout(slow);
      forget(folder);
    },
  };
  guard(running);
  return anvil;
}

/** Starts anvil with its watchdog, from the newest snapshot that it loads. */
async function run(
  folder: string,
  {
    port,
    log,
    neededAfter,
    exclusively,
  }: { port: number; log: Log; neededAfter: number; exclusively: Exclusively },
): Promise<Running> {
  const binary = findAnvil();
  for (let damaged = false; ; damaged = true) {
    const snapshot = await newestSnapshot(
      folder,
      ({ why, kept }) => {
        damaged = true;
        log.error(`A saved state of the local chain is damaged (${why}); it is kept as ${kept}.`);
      },
      neededAfter,
    );
    if (snapshot !== undefined) log.info(`The local chain continues from block ${snapshot.block}.`);
    else if (damaged) {
      log.error(
        "The local chain has no valid state: it starts empty, and contracts and wallets are deployed again where possible.",
      );
    }
    // The watchdog first, so that anvil never runs without it.
    const watchdog = new Watchdog({ folder, log, loaded: snapshot ?? { block: 0, bytes: 0 }, exclusively });
    try {
      const onSpawn = (pid: number) => {
        watchdog.order({ pid });
        record(folder, "anvil", pid);
      };
      const listens = await launch({ binary, folder, port, snapshot, onSpawn });
      watchdog.order({ rpcUrl: `http://127.0.0.1:${listens.port}` });
      return {
        ...listens,
        watchdog,
        oldest: Math.max(0, Math.min((snapshot?.block ?? 0) - KEPT_BLOCKS, neededAfter)),
      };
    } catch (error) {
      await watchdog.end();
      if (!(error instanceof StateRefused) || snapshot === undefined) throw error;
      const kept = await setAside(snapshot.from);
      log.error(
        `Anvil cannot load a saved state of the local chain (${messageOf(error)}); it is kept as ${kept}.`,
      );
    } finally {
      if (snapshot !== undefined) await rm(snapshot.file, { force: true });
    }
  }
}

/** Ends it by its watchdog, or directly if the watchdog was killed. */
async function end({ child, watchdog }: Running): Promise<void> {
  await watchdog.end();
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
}
