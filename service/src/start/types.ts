// The types of the package, as they are published: the build copies this file. So it imports nothing, and has no code.

/** Everything needed to use a running service: the object of the `ready` line. */
export type ReadyInfo = {
  base_url: string;
  graphql_url: string;
  api_key: string;
  org_id: string;
  workflow_owner: string;
  cre_tenant_id: string;
  valid_signers: string[];
  min_required_signatures: number;
  rpc_url: string;
  chain_selector: string;
  chain_id: string;
  /** Addresses by the name of the contract. */
  contracts: Record<string, string>;
};

/** Those that are named as the options of the command mean the same. No environment variable is read. */
export type StartOptions = {
  /** Default: 0, which chooses a free one. */
  port?: number | undefined;
  /** Folder for all data. Default: a temporary one, which is removed at the end. */
  dataDir?: string | undefined;
  /** From 0 to 2147483647: gives equal oracle keys, and equal ids by order of creation. Times differ. */
  seed?: number | undefined;
  /** Whether the endpoints for testers under `/local` are enabled. Default: true. */
  local?: boolean | undefined;
  /** Whether everything that the public service does not support is refused. Default: false. */
  strict?: boolean | undefined;
  /** Milliseconds between empty blocks, while something waits to be finalized. Default: 1000. */
  blockTime?: number | undefined;
  /** Levels at which watchers report each log. Default: latest and finalized. */
  confidence?: readonly ("latest" | "safe" | "finalized")[] | undefined;
  /** Your own EVM node. Default: an anvil is started. */
  rpcUrl?: string | undefined;
  /** Chain selector of a node with an unknown chain. */
  chainSelector?: string | undefined;
  /** Private key of a funded account that pays for gas on that node. Default: a new account. */
  relayerKey?: string | undefined;
  /** Accepted API keys; `ready` names the first one. Default: `local-development-key`. */
  apiKey?: string | readonly string[] | undefined;
  /** Organization of the proofs. Default: `org_local`. */
  org?: string | undefined;
  /** Tenant of the proofs. Default: `1`. */
  tenant?: string | undefined;
  /** Receives each line of the log. Default: the log is not shown. */
  log?: ((line: string) => void) | undefined;
  /** Lowest level that is logged. Default: `info`. */
  logLevel?: "trace" | "debug" | "info" | "warn" | "error" | "silent" | undefined;
  /** Ends the start. Once the service is ready, it changes nothing. */
  signal?: AbortSignal | undefined;
};

export type StartedService = {
  readonly ready: ReadyInfo;
  /**
   * Ends the service and its chain, and removes the temporary folder. Resolves when all of that is done, also when it was
   * called before or the service has ended by itself. The service ends as well when this process does.
   */
  stop(): Promise<void>;
};

/**
 * Why the service did not start: another program has its port; Node.js is too old; there is no chain, or it did not
 * start; an option is wrong; the `signal` was aborted; anything else, as the message says.
 */
export type StartErrorCode =
  | "PORT_TAKEN"
  | "NODE_TOO_OLD"
  | "NO_CHAIN"
  | "INVALID_OPTION"
  | "ABORTED"
  | "CANNOT_START";

/** Its message says why, and what to do. */
export interface StartError extends Error {
  readonly code: StartErrorCode;
  /** The last lines of the service's log. */
  readonly log: readonly string[];
}

/**
 * Starts the service in a process of its own, with a chain. It keeps no program alive, and ends with this one.
 *
 * @throws StartError, by a rejection. Then no process and no temporary folder is left.
 */
export declare function start(options?: StartOptions): Promise<StartedService>;
