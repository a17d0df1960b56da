import { type Logger, type LoggerOptions, pino } from "pino";

export type Log = Logger;

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** `pretty` is a line for people, `json` an object a line for programs. */
export const LOG_FORMATS = ["pretty", "json"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Where lines go, each with its end. */
export type LogDestination = { write(line: string): unknown };

/** Names under which a secret would be logged by mistake. What is sent is never logged at all. */
const SECRETS = [
  "apiKey",
  "api_key",
  "authorization",
  "privateKey",
  "private_key",
  "relayerKey",
  "raw",
  "rpcUrl",
  "rpc_url",
];

const OPTIONS: LoggerOptions = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (level) => ({ level }) },
  redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: "(secret)" },
};

/** The service's log: by default for people, on stderr. */
export function createLog(options: { level?: LogLevel; format?: LogFormat; to?: LogDestination } = {}): Log {
  const { level = "info", format = "pretty", to = process.stderr } = options;
  const destination = format === "json" ? to : { write: (line: string) => to.write(prettyLine(line)) };
  return pino({ ...OPTIONS, level }, destination);
}

export function silentLog(): Log {
  return pino({ level: "silent" });
}

/** `12:30:05 What happened. id=1`, and the level where it is not `info`. */
function prettyLine(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const told = Object.entries(fields).map(([name, value]) => ` ${name}=${shown(value)}`);
  return `${clock(String(time))} ${level === "info" ? "" : `${level}: `}${msg ?? ""}${told.join("")}\n`;
}

function shown(value: unknown): string {
  return typeof value === "string" && /^\S+$/.test(value) ? value : JSON.stringify(value);
}

/** Hours, minutes and seconds here, of a time in UTC. */
function clock(iso: string): string {
  return new Date(iso).toTimeString().slice(0, 8);
}
