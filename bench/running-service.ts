import { join } from "node:path";
import { startAnvil } from "../service/src/chain/anvil/anvil.ts";
import { type Api, spawnService, temporaryFolder } from "../service/test/support.ts";
import { sized } from "./sized.ts";

/** The local service as a process of its own, on a chain that was started beside it. */
export type RunningService = { api: Api; pid: number; end: () => Promise<void> };

/** A service for one part of a benchmark; where nothing is measured, one for all parts, which use it in turns. */
export function runService(): Promise<RunningService> {
  return sized(start, takeShared)();
}

async function start(): Promise<RunningService> {
  const folder = temporaryFolder();
  const chain = await startAnvil(join(folder.path, "node"));
  const args = ["--rpc-url", chain.rpcUrl, "--confidence", "latest", "--block-time", "1000"];
  const { api, child, exited } = await spawnService(join(folder.path, "data"), { args });
  const end = async () => {
    child.kill("SIGTERM");
    await exited;
    await chain.stop();
    folder.dispose();
  };
  return { api, pid: child.pid ?? 0, end };
}

/** The shared service, how many parts use or await it, and when the last of them is done. */
const shared = {
  service: undefined as Promise<RunningService> | undefined,
  users: 0,
  done: Promise.resolve(),
};

/** Its start takes longer than a part with little to do. It ends with the last part. */
async function takeShared(): Promise<RunningService> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const before = shared.done;
  shared.done = promise;
  shared.users += 1;
  shared.service ??= start();
  const service = await shared.service;
  await before;
  const end = async () => {
    resolve();
    shared.users -= 1;
    if (shared.users > 0) return;
    shared.service = undefined;
    await service.end();
  };
  return { ...service, end };
}
