import { startError } from "./errors.ts";
import type { StartOptions } from "./types.ts";

/** Options that are those of the command, by its environment variables: nobody else can read keys there. */
const VARIABLES = {
  port: "CREC_SERVICE_PORT",
  dataDir: "CREC_DATA_DIR",
  seed: "CREC_SEED",
  local: "CREC_LOCAL",
  strict: "CREC_STRICT",
  blockTime: "CREC_BLOCK_TIME",
  confidence: "CREC_CONFIDENCE",
  rpcUrl: "CREC_RPC_URL",
  chainSelector: "CREC_CHAIN_SELECTOR",
  relayerKey: "CREC_RELAYER_KEY",
  apiKey: "CREC_API_KEY",
  org: "CREC_ORG_ID",
  tenant: "CREC_TENANT_ID",
  logLevel: "CREC_LOG_LEVEL",
} as const;

/** What a test runner sets for itself: it would slow the service down, or load something into it. */
const NOT_PASSED_ON = /^(CREC_.*|NODE_OPTIONS|NODE_V8_COVERAGE)$/i;

/**
 * The environment of the service's process.
 *
 * @throws StartError for an unknown option, and for functions and signals that are none.
 */
export function environmentOf({ log, signal, ...options }: StartOptions): NodeJS.ProcessEnv {
  if (log !== undefined && typeof log !== "function") throw invalid("log must be a function.");
  if (signal !== undefined && typeof signal?.addEventListener !== "function") {
    throw invalid("signal must be an AbortSignal, such as the signal of an AbortController.");
  }
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_PASSED_ON.test(name)));
  for (const [name, value] of Object.entries({
    ...options,
    port: options.port ?? 0,
    local: options.local ?? true,
  })) {
    const variable = (VARIABLES as Record<string, string | undefined>)[name];
    if (variable === undefined) {
      throw invalid(
        `There is no option ${name}. The options are ${Object.keys(VARIABLES).join(", ")}, log and signal.`,
      );
    }
    if (value !== undefined) env[variable] = String(value);
  }
  return env;
}

function invalid(message: string) {
  return startError({ code: "INVALID_OPTION", message }, []);
}
