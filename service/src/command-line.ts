import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import { parseArgs } from "node:util";
import { CONFIDENCES, type Confidence } from "../../src/protocol/index.ts";
import { messageOf, ServiceProblem } from "./errors.ts";
import type { ServiceOptions } from "./index.ts";
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from "./log.ts";

/** The options of one call of the command. */
export type Command = Omit<ServiceOptions, "log"> & {
  logLevel: LogLevel;
  logFormat: LogFormat;
  /** Whether to end with the process that started this one; undefined: with npm and npx. */
  watchParent: boolean | undefined;
};

type Flag = {
  /** The name of the value in the help; a flag without one is on or off. */
  value?: string;
  env?: string;
  fallback?: string;
  help: string;
  /** Can be repeated, or have several values with commas. */
  several?: true;
};

const FLAGS = {
  port: {
    value: "PORT",
    env: "CREC_SERVICE_PORT",
    fallback: "8787",
    help: "port to listen on; 0 chooses a free one",
  },
  host: {
    value: "ADDRESS",
    env: "CREC_SERVICE_HOST",
    fallback: "127.0.0.1",
    help: "address to listen on; any other than a loopback address needs your own API key",
  },
  "data-dir": {
    value: "FOLDER",
    env: "CREC_DATA_DIR",
    help: "folder for all data; without it, a folder of the user",
  },
  "rpc-url": {
    value: "URL",
    env: "CREC_RPC_URL",
    help: "your own EVM node; without it, an anvil is started",
  },
  "chain-port": {
    value: "PORT",
    env: "CREC_CHAIN_PORT",
    fallback: "0",
    help: "port of that anvil; 0 chooses a free one",
  },
  "chain-selector": {
    value: "NUMBER",
    env: "CREC_CHAIN_SELECTOR",
    help: "chain selector of a node with an unknown chain",
  },
  "relayer-key": {
    value: "KEY",
    env: "CREC_RELAYER_KEY",
    help: "private key of a funded account that pays for gas on that node; safer in the environment",
  },
  "api-key": {
    value: "KEY",
    env: "CREC_API_KEY",
    several: true,
    help: "accepted API key; safer in the environment, where other users cannot see it",
  },
  org: {
    value: "ID",
    env: "CREC_ORG_ID",
    fallback: "org_local",
    help: "organization of the proofs",
  },
  tenant: { value: "ID", env: "CREC_TENANT_ID", fallback: "1", help: "tenant of the proofs" },
  "block-time": {
    value: "MS",
    env: "CREC_BLOCK_TIME",
    fallback: "1000",
    help: "time between empty blocks in milliseconds; transactions are mined at once",
  },
  confidence: {
    value: "LEVEL",
    env: "CREC_CONFIDENCE",
    several: true,
    fallback: "latest,finalized",
    help: `levels at which watchers report a log: ${CONFIDENCES.join(", ")}`,
  },
  seed: {
    value: "NUMBER",
    env: "CREC_SEED",
    help: "give equal oracle keys, and equal ids by order of creation, to each service with this number; for tests",
  },
  strict: {
    env: "CREC_STRICT",
    help: "behave like the public service: refuse, omit or ignore everything that it does not support",
  },
  local: {
    env: "CREC_LOCAL",
    help: "enable the test endpoints under /local: faucet, faults, reorganizations",
  },
  "log-level": {
    value: "LEVEL",
    env: "CREC_LOG_LEVEL",
    fallback: "info",
    help: `lowest level that is logged: ${LOG_LEVELS.join(", ")}`,
  },
  "log-format": {
    value: "FORMAT",
    env: "CREC_LOG_FORMAT",
    fallback: "pretty",
    help: "pretty for people, or json for programs",
  },
  "watch-parent": {
    help: "end when the process that started this one has ended; npm and npx are watched without it",
  },
  version: { help: "show the version" },
  help: { help: "show this help" },
} as const satisfies Record<string, Flag>;

type FlagName = keyof typeof FLAGS;

/**
 * The options from the arguments, else from the environment; or what is asked for instead of a start.
 *
 * @throws ServiceProblem, one sentence, when one of them cannot be.
 */
export function readCommand(args: readonly string[], env: NodeJS.ProcessEnv): Command | "help" | "version" {
  const given = parse(args);
  if (given.help === true) return "help";
  if (given.version === true) return "version";

  const lists = (name: FlagName): string[] => {
    const { env: variable, fallback }: Flag = FLAGS[name];
    const value = given[name] ?? ((variable && env[variable]) || fallback || []);
    return [value].flat().flatMap((text) =>
      String(text)
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== ""),
    );
  };
  const oneOrMore = (name: FlagName): string[] => {
    const values = lists(name);
    if (values.length > 0) return values;
    throw invalid(`--${name} is empty. Name at least one value.`);
  };
  const text = (name: FlagName): string => {
    const { env: variable, fallback = "" }: Flag = FLAGS[name];
    return String(given[name] ?? ((variable && env[variable]) || fallback));
  };
  return {
    port: wholeNumber("port", text("port"), 65_535),
    host: text("host"),
    dataDir: text("data-dir") || defaultDataDir(env),
    rpcUrl: text("rpc-url") || undefined,
    chainPort: wholeNumber("chain-port", text("chain-port"), 65_535),
    chainSelector: text("chain-selector") || undefined,
    relayerKey: text("relayer-key") || undefined,
    apiKey: lists("api-key"),
    orgId: text("org"),
    creTenantId: text("tenant"),
    blockTimeMs: wholeNumber("block-time", text("block-time"), 3_600_000),
    confidences: oneOrMore("confidence").map((level) => oneOf<Confidence>("confidence", level, CONFIDENCES)),
    seed: text("seed") === "" ? undefined : wholeNumber("seed", text("seed"), 2_147_483_647),
    strict: switched("strict", text("strict")),
    local: switched("local", text("local")),
    logLevel: oneOf<LogLevel>("log-level", text("log-level"), LOG_LEVELS),
    logFormat: oneOf<LogFormat>("log-format", text("log-format"), LOG_FORMATS),
    watchParent: given["watch-parent"] as boolean | undefined,
  };
}

export function helpText(): string {
  const rows = Object.entries<Flag>(FLAGS).map(([name, { value, env, fallback, several, help }]) => {
    const notes = [several && "several values with commas", fallback && `default ${fallback}`, env];
    return [
      `--${name}${value === undefined ? "" : ` ${value}`}`,
      `${help} (${notes.filter(Boolean).join("; ")})`.replace(" ()", ""),
    ] as const;
  });
  const width = Math.max(...rows.map(([flag]) => flag.length)) + 2;
  return [
    "Usage: npx @crec-nodes/local-service [options]",
    "",
    "The whole channel service on this machine, with its own chain. When it is ready, it writes one line to",
    'standard output: "ready " and a JSON object with addresses, key and what proofs are verified with. The log goes',
    "to standard error. It ends on Ctrl-C or SIGTERM.",
    "",
    "For Node-RED: start it with --local, and import the settings from http://127.0.0.1:8787/local/node-red.json.",
    "",
    "Options, each with its environment variable:",
    ...rows.map(([flag, help]) => `  ${flag.padEnd(width)}${help}`),
    "",
    `Without --data-dir, all data is in ${defaultDataDir(process.env)}.`,
    "--no-local disables /local, --no-strict the strict mode, and --no-watch-parent keeps it running after npm or npx.",
    "To start over, stop the service and remove the data directory.",
  ].join("\n");
}

function parse(args: readonly string[]): Partial<Record<FlagName, string | boolean | string[]>> {
  const options = Object.fromEntries(
    Object.entries<Flag>(FLAGS).map(([name, { value, several }]) => [
      name,
      {
        type: value === undefined ? ("boolean" as const) : ("string" as const),
        ...(several === true ? { multiple: true } : {}),
        ...(name === "help" ? { short: "h" } : {}),
      },
    ]),
  );
  try {
    const { values } = parseArgs({ args: [...args], options, allowNegative: true });
    return values as Partial<Record<FlagName, string | boolean | string[]>>;
  } catch (error) {
    const what = messageOf(error).replace(/(?<![.!?])$/, ".");
    throw invalid(`${what} Call it with --help to see all options.`);
  }
}

function wholeNumber(name: FlagName, text: string, max: number): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isInteger(number) && number >= 0 && number <= max) return number;
  throw invalid(`${called(name)} must be a whole number from 0 to ${max}, not ${JSON.stringify(text)}.`);
}

function oneOf<T extends string>(name: FlagName, text: string, choices: readonly T[]): T {
  const choice = choices.find((possible) => possible === text);
  if (choice !== undefined) return choice;
  throw invalid(`${called(name)} must be one of ${choices.join(", ")}, not ${JSON.stringify(text)}.`);
}

function switched(name: FlagName, text: string): boolean {
  if (/^(true|on|yes|1)$/i.test(text)) return true;
  if (/^(false|off|no|0|)$/i.test(text)) return false;
  throw invalid(`${called(name)} must be on or off, not ${JSON.stringify(text)}.`);
}

/** The names of the option in an error. */
function called(name: FlagName): string {
  const { env }: Flag = FLAGS[name];
  return env === undefined ? `--${name}` : `--${name} or ${env}`;
}

function invalid(sentence: string): ServiceProblem {
  return new ServiceProblem(sentence, "INVALID_OPTION");
}

const NAME = "crec-local-service";

/** Where programs of a user keep data, by the convention of the platform. */
export function defaultDataDir(
  env: NodeJS.ProcessEnv,
  { platform = process.platform, home = homedir() }: { platform?: string; home?: string } = {},
): string {
  if (platform === "win32") {
    return win32.join(env.LOCALAPPDATA || win32.join(home, "AppData", "Local"), NAME);
  }
  if (platform === "darwin") return posix.join(home, "Library", "Application Support", NAME);
  // A relative path there is invalid, says the specification of these folders.
  const given = env.XDG_DATA_HOME ?? "";
  return posix.join(posix.isAbsolute(given) ? given : posix.join(home, ".local", "share"), NAME);
}
