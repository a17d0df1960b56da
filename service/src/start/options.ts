import { startError } from "./messages.ts";
import type { StartOptions } from "./types.ts";

type Kind = "number" | "boolean" | "string" | "strings";

/** Options that are those of the command, by its environment variables: nobody else can read keys there. */
const OPTIONS: Readonly<Record<string, readonly [variable: string, kind: Kind]>> = {
  port: ["CREC_SERVICE_PORT", "number"],
  dataDir: ["CREC_DATA_DIR", "string"],
  seed: ["CREC_SEED", "number"],
  local: ["CREC_LOCAL", "boolean"],
  strict: ["CREC_STRICT", "boolean"],
  blockTime: ["CREC_BLOCK_TIME", "number"],
  confidence: ["CREC_CONFIDENCE", "strings"],
  rpcUrl: ["CREC_RPC_URL", "string"],
  chainSelector: ["CREC_CHAIN_SELECTOR", "string"],
  relayerKey: ["CREC_RELAYER_KEY", "string"],
  apiKey: ["CREC_API_KEY", "strings"],
  org: ["CREC_ORG_ID", "string"],
  tenant: ["CREC_TENANT_ID", "string"],
  logLevel: ["CREC_LOG_LEVEL", "string"],
};

const MUST_BE: Readonly<Record<Kind, string>> = {
  number: "a number",
  boolean: "true or false",
  string: "a string",
  strings: "a string or a list of strings",
};

/** What a test runner sets for itself: it would slow the service down, or load something into it. */
const NOT_PASSED_ON = /^(CREC_.*|NODE_OPTIONS|NODE_V8_COVERAGE)$/i;

/**
 * The environment of the service's process. What a value means is checked there.
 *
 * @throws StartError for an unknown option, and for a value of another type.
 */
export function environmentOf({ log, signal, ...options }: StartOptions): NodeJS.ProcessEnv {
  if (log !== undefined && typeof log !== "function") throw invalid("log must be a function.");
  if (signal !== undefined && typeof signal?.addEventListener !== "function") {
    throw invalid("signal must be an AbortSignal, such as the signal of an AbortController.");
  }
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_PASSED_ON.test(name)));
  const given = { ...options, port: options.port ?? 0, local: options.local ?? true };
  for (const [name, value] of Object.entries(given)) {
    const [variable, kind] = OPTIONS[name] ?? unknown(name);
    if (value === undefined) continue;
    if (!isOf(kind, value)) throw invalid(`${name} must be ${MUST_BE[kind]}.`);
    env[variable] = String(value);
  }
  return env;
}

function isOf(kind: Kind, value: unknown): boolean {
  // The system takes no null character.
  const isText = (text: unknown) => typeof text === "string" && !text.includes("\0");
  if (kind === "strings") return [value].flat().every(isText);
  return kind === "string" ? isText(value) : typeof value === kind;
}

function unknown(name: string): never {
  throw invalid(
    `There is no option ${name}. The options are ${Object.keys(OPTIONS).join(", ")}, log and signal.`,
  );
}

function invalid(message: string) {
  return startError({ code: "INVALID_OPTION", message }, []);
}
