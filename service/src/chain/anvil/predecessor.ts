import { setTimeout as sleep } from "node:timers/promises";
import { ServiceProblem } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { isAlive } from "../process.ts";
import { forget, identify, pidFile, recordedPid } from "./chain-processes.ts";

const LOG_AFTER_MS = 2000;
const LOOK_MS = 20;
/** How long a process that may be the watchdog is awaited: a watchdog ends in seconds, another process may run for ever. */
const UNKNOWN_MS = 15_000;

/**
 * Waits until the watchdog of a killed service has saved its chain and ended it; a chain without one is ended. A process
 * that is not one of the two is left alone.
 *
 * @throws ServiceProblem when a process may be the watchdog and does not end, and the system does not show what it is.
 */
export async function awaitPredecessor(
  folder: string,
  log: Log,
  { identityOf = identify, unknownMs = UNKNOWN_MS } = {},
): Promise<void> {
  const start = Date.now();
  const watchdog = recordedPid(folder, "watchdog");
  const isWatchdog = watchdog === undefined ? "other" : identityOf(folder, "watchdog", watchdog);
  let logged = false;
  while (watchdog !== undefined && isWatchdog !== "other" && isAlive(watchdog)) {
    if (isWatchdog === "unknown" && Date.now() - start > unknownMs) throw mayStillSave(folder, watchdog);
    if (!logged && Date.now() - start > LOG_AFTER_MS) {
      logged = true;
      log.info("Waiting until the chain's state is saved: an earlier service ended before that.");
    }
    await sleep(LOOK_MS);
  }
  const anvil = recordedPid(folder, "anvil");
  const isAnvil = anvil === undefined ? "other" : identityOf(folder, "anvil", anvil);
  if (anvil !== undefined && (isAnvil === "unknown" || (isAnvil === "same" && !(await end(anvil))))) {
    log.warn(
      `Process ${anvil} may be the anvil of an earlier service. It writes nothing, and is left alone: this system does not show what it is, or it is of another user. If it is an anvil, end it.`,
    );
  }
  forget(folder);
}

/** Ends an anvil, which writes nothing itself: there is nothing to damage. False where it is of another user. */
async function end(pid: number): Promise<boolean> {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // It may have ended by itself at this moment.
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
  while (isAlive(pid)) await sleep(LOOK_MS);
  return true;
}

function mayStillSave(folder: string, pid: number): ServiceProblem {
  return new ServiceProblem(
    `Process ${pid} may still save the local chain in ${folder} for an earlier service, and two must not write there. This system does not show what it is: there is no /proc, and ${process.platform === "win32" ? "PowerShell" : "ps"} does not answer. Start again when it has ended. If it is another program, remove ${pidFile(folder, "watchdog")} first.`,
  );
}
