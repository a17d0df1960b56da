import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { workflowOwnerFromOrgId } from "../../src/proofs/report.ts";
import type { Confidence } from "../../src/protocol/index.ts";
import { isLoopback } from "./api/access.ts";
import { CLOSE_LIMIT_MS, createServer, GRAPHQL_PATH } from "./api/server.ts";
import { deployedContracts } from "./chain/demo/contracts.ts";
import { REFILL_MS } from "./chain/funds.ts";
import { startRelayer } from "./chain/relayer.ts";
import { Following, Ticker } from "./chain/ticker.ts";
import type { Context } from "./context.ts";
import { messageOf, ServiceProblem } from "./errors.ts";
import { flowSignerKey, flowVariables, writeEnvironmentFile } from "./flow-variables.ts";
import { InjectedFailures } from "./injected-failures/index.ts";
import { FinalityWatch } from "./lifecycles/chain-health.ts";
import { startLifecycles } from "./lifecycles/lifecycles.ts";
import { SkippedLogs } from "./lifecycles/logs/skipped.ts";
import { type Log, silentLog } from "./log.ts";
import { OracleNetwork, oracleKeys } from "./oracles/network.ts";
import { keepOwnChain, startChain, warmUp } from "./own-chain.ts";
import type { ReadyInfo } from "./start/types.ts";
import { DATABASE_FILE, storageProblem } from "./store/database.ts";
import { Store } from "./store/store.ts";
import { now, within } from "./time.ts";

export { ServiceProblem } from "./errors.ts";
export type { ReadyInfo } from "./start/types.ts";

export const DEFAULT_API_KEY = "local-development-key";
export const DEFAULT_ORG_ID = "org_local";
export const DEFAULT_TENANT_ID = "1";

/** How a service is started. Everything except the data directory has a default. */
export type ServiceOptions = {
  /** Folder for all data. */
  dataDir: string;
  /** 0 (the default) chooses a free one. */
  port?: number;
  /** Default: 127.0.0.1. */
  host?: string;
  /** A node to use instead of an anvil that the service starts. */
  rpcUrl?: string | undefined;
  /** The port of that anvil; 0 (the default) chooses a free one. */
  chainPort?: number;
  /** The accepted API keys. `ready` names the first one. */
  apiKey?: string | readonly string[] | undefined;
  orgId?: string | undefined;
  creTenantId?: string | undefined;
  /**
   * Time between empty blocks in milliseconds, while something waits to be finalized. A transaction is mined at once.
   * Default: 1000.
   */
  blockTimeMs?: number;
  /** The chain selector of a node with an unknown chain. */
  chainSelector?: string | undefined;
  /** The key of a funded account that pays for gas on your own node. Default: the service creates an account. */
  relayerKey?: string | undefined;
  /**
   * Levels at which watchers report each log. Default: latest and finalized. The strongest one is also where operations
   * end: with only `latest`, `confirmed_latest` is their last status.
   */
  confidences?: readonly Confidence[];
  /** Whether everything that the public service does not support is refused, omitted or ignored. Default: false. */
  strict?: boolean;
  /** Whether the endpoints under /local are enabled. Default: false. */
  local?: boolean;
  /**
   * From 0 to 2147483647: gives equal oracle keys, and equal ids by order of creation. Default: both are random. A data
   * directory with other oracle keys is refused.
   */
  seed?: number | undefined;
  /** How long a transaction that cannot be paid for waits for coins before it fails. Default: ten minutes. */
  refillMs?: number;
  /** How long the node's blocks may form no chain before blocks that it lacks are passed over. Default: a minute. */
  stuckMs?: number;
  /** How long a request may take to arrive. Default: 30 s. */
  requestTimeoutMs?: number;
  /** Default: no log. `createLog` makes one. */
  log?: Log;
};

export type RunningService = {
  ready: ReadyInfo;
  /**
   * Stops everything in order, the chain too. It takes at most two seconds where the chain's state is below 20 MB, else
   * until that is saved.
   */
  close(): Promise<void>;
};

/** How long one part may take to stop before the next one is stopped: the chain must be saved. */
const STOP_TIMEOUT_MS = 900;
const ORACLE_KEYS = "oracle-keys.json";

/**
 * Starts the whole channel service on this machine.
 *
 * @throws ServiceProblem, one sentence that says what to do, when a port is taken, a directory cannot be used,
 * another service holds it, or there is no chain to run on.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const host = options.host ?? "127.0.0.1";
  const given = [options.apiKey ?? []].flat();
  const apiKeys = given.length > 0 ? given : [DEFAULT_API_KEY];
  const [apiKey = DEFAULT_API_KEY] = apiKeys;
  const isLocal = await isLoopback(host);
  if (!isLocal) refusePublicKey(host, apiKeys);
  const log = options.log ?? silentLog();
  const dataDir = resolve(options.dataDir);
  const started: Array<() => Promise<void> | void> = [];
  const close = async () => {
    const errors: unknown[] = [];
    // An error must not keep the others from stopping, above all not the chain.
    for (const end of started.splice(0).reverse()) {
      try {
        await end();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  };
  try {
    if (isWithoutDatabase(dataDir)) {
      log.warn(
        `The data directory ${dataDir} has keys of an earlier run and no database: its channels, watchers, wallets and operations are lost. If you have a copy of ${DATABASE_FILE}, stop the service and restore it.`,
      );
    }
    const store = new Store(dataDir, { log, seed: options.seed });
    started.push(() => store.close());
    const { anvil, chain } = await startChain(join(dataDir, "chain"), {
      ...{ store, log, createdAt: firstStart(store), rpcUrl: options.rpcUrl },
      ...{ chainPort: options.chainPort ?? 0, chainSelector: options.chainSelector },
    });
    if (anvil !== undefined) started.push(() => anvil.stop());

    const orgId = options.orgId ?? DEFAULT_ORG_ID;
    const creTenantId = options.creTenantId ?? DEFAULT_TENANT_ID;
    const workflowOwner = workflowOwnerFromOrgId(orgId, creTenantId);
    const relayer = await startRelayer(chain, dataDir, anvil !== undefined, options.relayerKey, log);
    await relayer.funds.watch();
    if (options.seed !== undefined) {
      log.info(
        `The oracle keys are those of the seed ${options.seed}, which everyone can compute: trust them in tests alone.`,
      );
    }
    log.info("Checking the demo contracts, and deploying missing ones.");
    const confidences = options.confidences ?? (["latest", "finalized"] as const);
    const following = new Following();
    const context: Context = {
      store,
      chain,
      relayer,
      ticker: new Ticker({ chain, intervalMs: options.blockTimeMs ?? 1000, log, following }),
      oracles: new OracleNetwork(oracleKeys(join(dataDir, ORACLE_KEYS), options.seed), workflowOwner),
      contracts: await deployedContracts(chain, relayer, store.settings),
      confidences,
      finality: new FinalityWatch(chain, confidences, log),
      following,
      skipped: new SkippedLogs(log),
      strict: options.strict ?? false,
      injected: new InjectedFailures(),
      refillMs: options.refillMs ?? REFILL_MS,
      log,
    };
    store.events.onAppend((event) => {
      const { deliveries } = context.injected;
      deliveries.onAppend(event);
      store.timeline.add({ kind: "event", event, facts: deliveries.of(event) });
    });
    await warmUp(chain);
    if (anvil !== undefined) keepOwnChain(anvil, context);
    const lifecycles = await startLifecycles(context, { stuckMs: options.stuckMs });
    started.push(() => within(STOP_TIMEOUT_MS, lifecycles.stop()));
    // Before that, nothing may wait for a restart of the chain.
    started.push(() => anvil?.giveUp());
    started.push(() => chain.giveUp());

    const local = options.local ?? false;
    const readyAt = (origin: string): ReadyInfo => ({
      base_url: origin,
      graphql_url: `${origin}${GRAPHQL_PATH}`,
      api_key: apiKey,
      org_id: orgId,
      workflow_owner: workflowOwner,
      cre_tenant_id: creTenantId,
      valid_signers: context.oracles.signers,
      min_required_signatures: context.oracles.minRequiredSignatures,
      rpc_url: chain.rpcUrl,
      chain_selector: chain.network.chain_selector,
      chain_id: chain.network.chain_id,
      contracts: { ...context.contracts },
    });
    const flowVariablesAt = (origin: string) => flowVariables(readyAt(origin), flowSignerKey(dataDir));
    const app = await createServer(context, lifecycles, {
      apiKeys,
      account: { orgId, creTenantId, createdAt: new Date(firstStart(store) * 1000).toISOString() },
      page: {
        apiKey: apiKey === DEFAULT_API_KEY ? apiKey : undefined,
        orgId,
        creTenantId,
        workflowOwner,
        graphqlPath: GRAPHQL_PATH,
        local,
      },
      local,
      flowVariablesAt,
      loopback: isLocal,
      requestTimeoutMs: options.requestTimeoutMs,
    });
    started.push(() => within(CLOSE_LIMIT_MS + STOP_TIMEOUT_MS, app.close()));
    const origin = await listen(app, host, options.port ?? 0);
    if (local) writeEnvironmentFile(dataDir, flowVariablesAt(origin));
    return { close, ready: readyAt(origin) };
  } catch (error) {
    await close().catch((error: unknown) => log.warn(`Error while stopping: ${messageOf(error)}`));
    throw storageProblem(error, dataDir) ?? error;
  }
}

/** Whether the database was removed or lost while the keys are still there. */
function isWithoutDatabase(dataDir: string): boolean {
  const file = statSync(join(dataDir, DATABASE_FILE), { throwIfNoEntry: false });
  return (file?.size ?? 0) === 0 && existsSync(join(dataDir, ORACLE_KEYS));
}

function firstStart(store: Store): number {
  const known = store.settings.get<number>("first_start");
  if (known !== undefined) return known;
  const time = now();
  store.settings.set("first_start", time);
  return time;
}

function refusePublicKey(host: string, apiKeys: readonly string[]): void {
  if (!apiKeys.includes(DEFAULT_API_KEY)) return;
  throw new ServiceProblem(
    `The service would listen on ${host} with the default API key, which is public. Set CREC_API_KEY to your own key, or listen on 127.0.0.1.`,
  );
}

async function listen(
  app: Awaited<ReturnType<typeof createServer>>,
  host: string,
  port: number,
): Promise<string> {
  try {
    const address = new URL(await app.listen({ host, port }));
    // Clients cannot connect to 0.0.0.0.
    return `http://${host === "0.0.0.0" || host === "::" ? "127.0.0.1" : address.hostname}:${address.port}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") {
      throw new ServiceProblem(
        `Port ${port} is taken by another program. Stop that one, or choose another port with --port or CREC_SERVICE_PORT.`,
        "PORT_TAKEN",
      );
    }
    throw new ServiceProblem(
      `The service cannot listen on ${host} port ${port} (${messageOf(error)}). Choose another address with --host and --port.`,
    );
  }
}
