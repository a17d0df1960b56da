import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningService, type ServiceOptions, startService } from "../../service/src/index.ts";

/** Transactions are mined at once. An empty block each 200 ms takes three percent of a processor, however little a test does. */
const BLOCK_TIME_MS = 500;

/**
 * The real local service on a real chain, with a folder of its own that goes when it is closed. It is strict, as the
 * public one is, unless a test says otherwise.
 */
export async function startTestService(options: Partial<ServiceOptions> = {}): Promise<RunningService> {
  const dataDir = await mkdtemp(join(tmpdir(), "crec-service-"));
  const service = await startService({
    port: 0,
    dataDir,
    blockTimeMs: BLOCK_TIME_MS,
    local: true,
    strict: true,
    ...options,
  });
  return {
    ready: service.ready,
    close: async () => {
      await service.close();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** What flows find in their environment under `npm start`. */
export { flowEnvironment } from "../../scripts/lib/flow-environment.ts";
