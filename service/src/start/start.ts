// `import { start } from "@crec-nodes/local-service"`. The service runs in a process of its own: nothing of it is loaded
// here. Also what an older Node.js loads, to be told which one is needed.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aborted, startError } from "./messages.ts";
import { environmentOf } from "./options.ts";
import { ServiceProcess } from "./service-process.ts";
import type { start as publishedStart } from "./types.ts";

export const start: typeof publishedStart = async (options = {}) => {
  const { signal, log } = options;
  const env = environmentOf(options);
  if (signal?.aborted) throw aborted(signal, []);
  const temporary = options.dataDir ? undefined : await temporaryFolder();
  const dataDir = temporary ?? options.dataDir ?? "";
  const service = new ServiceProcess({ dataDir, isTemporary: temporary !== undefined, env, log });
  const end = async () => {
    await service.end();
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true, maxRetries: 5 });
  };
  let ended: Promise<void> | undefined;
  const stop = () => {
    ended ??= end();
    return ended;
  };
  const onAbort = () => void stop();
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    const told = await service.outcome;
    if (signal?.aborted) throw aborted(signal, service.lastLines);
    if ("problem" in told) throw startError(told.problem, service.lastLines);
    return { ready: told.ready, stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
};

async function temporaryFolder(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), "crec-local-service-"));
  } catch (error) {
    const message = `No temporary folder can be made (${(error as Error).message}). Set TMPDIR to a folder that can be written, or name one as dataDir.`;
    throw startError({ code: "CANNOT_START", message }, [], error);
  }
}
