import { type Logger, type LoggerOptions, pino } from "pino";
import { prettyFactory } from "pino-pretty";

export type Log = Logger;

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** `pretty` writes lines for people, `json` one object per line for programs. */
export const LOG_FORMATS = ["pretty", "json"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Receives each line, with its line end. */
type LogDestination = { write(line: string): unknown };

/** Fields that hold a secret, hidden where one is logged by mistake. Requests and answers are never logged. */
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

/** `[12:30:05] WARN: What happened. {"id":1}` */
const prettyLine = prettyFactory({ colorize: false, translateTime: "SYS:HH:MM:ss", singleLine: true });

/** The log of the service: by default for people, on stderr. */
export function createLog(options: { level?: LogLevel; format?: LogFormat; to?: LogDestination } = {}): Log {
  const { level = "info", format = "pretty", to = process.stderr } = options;
  const destination = format === "json" ? to : { write: (line: string) => to.write(prettyLine(line)) };
  return pino({ ...OPTIONS, level }, destination);
}

export function silentLog(): Log {
  return pino({ level: "silent" });
}
