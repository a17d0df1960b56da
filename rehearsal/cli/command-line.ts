import { parseArgs } from "node:util";

/** The options of one call of the command. Times are Unix milliseconds; paths are as given. */
export type Command = {
  flow: string;
  events: string[];
  tabs: string[];
  modules: string[];
  from?: number;
  to?: number;
  seed?: number;
  timeZone?: string;
  nodeRed?: string;
  replies?: string;
  context?: string;
  expect?: string;
  writeExpect?: string;
  exact: boolean;
  compare?: string;
  report?: string;
  html?: string;
};

type Option = {
  /** The name of the value in the help; an option without one is on or off. */
  value?: string;
  /** Can be repeated. */
  several?: true;
  help: string;
};

const OPTIONS = {
  flow: { value: "FILE", help: "flows: an export of the editor, or the flows file of a Node-RED" },
  events: { value: "FILE", several: true, help: "recorded events" },
  tab: {
    value: "NAME",
    several: true,
    help: "tab to rehearse, by name or id; default: those of --expect, else all that are enabled",
  },
  from: {
    value: "TIME",
    help: "start, such as 2026-01-31T12:00:00Z; default: that of --expect, else the first event",
  },
  to: { value: "TIME", help: "end; default: that of --expect, else a minute after the last event" },
  expect: { value: "FILE", help: "what the flow must do: a difference ends with 1" },
  "write-expect": { value: "FILE", help: "keep what the flow does as what it must do" },
  exact: { help: "with --write-expect: messages must be the same too" },
  compare: { value: "FILE", help: "an earlier report: a difference ends with 1" },
  report: { value: "FILE", help: "write the report as JSON" },
  html: { value: "FILE", help: "write the report as one HTML file" },
  replies: { value: "FILE", help: "test replies of nodes that are not run, by their ids" },
  context: { value: "FILE", help: "context to start with: global, flows, nodes" },
  module: { value: "NAME", several: true, help: "installed palette whose nodes run: its code is executed" },
  "node-red": { value: "FOLDER", help: "project with Node-RED, or its package; default: the current folder" },
  seed: { value: "NUMBER", help: "seed of random numbers; default: that of --expect, else 1" },
  "time-zone": { value: "NAME", help: "such as Europe/Berlin; default: that of --expect, else UTC" },
  version: { help: "show the version" },
  help: { help: "show this help" },
} as const satisfies Record<string, Option>;

type OptionName = keyof typeof OPTIONS;
type Given = Partial<Record<OptionName, string | boolean | string[]>>;

/**
 * The options from the arguments, or what is asked for instead of a rehearsal.
 *
 * @throws CommandProblem when one of them cannot be
 */
export function readCommand(args: readonly string[]): Command | "help" | "version" {
  const given = parse(args);
  if (given.help === true) return "help";
  if (given.version === true) return "version";
  const flow = text(given, "flow");
  if (flow === undefined)
    throw new CommandProblem("--flow is missing. Name the file of the flow to rehearse.");
  const events = list(given, "events");
  const [from, to] = [time(given, "from"), time(given, "to")];
  if (from !== undefined && to !== undefined && from > to) {
    throw new CommandProblem("--from is after --to. Exchange the two times, or correct one of them.");
  }
  const seed = wholeNumber(given, "seed");
  const texts = {
    timeZone: timeZone(given),
    nodeRed: text(given, "node-red"),
    replies: text(given, "replies"),
    context: text(given, "context"),
    expect: text(given, "expect"),
    writeExpect: text(given, "write-expect"),
    compare: text(given, "compare"),
    report: text(given, "report"),
    html: text(given, "html"),
  };
  return {
    flow,
    events,
    tabs: list(given, "tab"),
    modules: list(given, "module"),
    exact: given.exact === true,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(seed !== undefined && { seed }),
    ...(Object.fromEntries(
      Object.entries(texts).filter(([, value]) => value !== undefined),
    ) as Partial<Command>),
  };
}

export function helpText(): string {
  const rows = Object.entries<Option>(OPTIONS).map(([name, { value, several, help }]) => [
    `--${name}${value === undefined ? "" : ` ${value}`}`,
    `${help}${several === true ? " (can be repeated)" : ""}`,
  ]);
  const width = Math.max(...rows.map(([option = ""]) => option.length)) + 2;
  return [
    "Usage: npx -p @crec-nodes/node-red-crec crec-rehearse --flow flows.json --events events.json [options]",
    "",
    "Runs a flow over recorded events, on a simulated clock and in a process that cannot act, and says what it would",
    "have done. Variables that the flow names are taken from the environment; secrets are never handed over.",
    "",
    "Ends with 0 when nothing differs from --expect and --compare, with 1 when something does, and with 2 when the",
    "call is wrong or the rehearsal fails.",
    "",
    "Options:",
    ...rows.map(([option = "", help]) => `  ${option.padEnd(width)}${help}`),
  ].join("\n");
}

function parse(args: readonly string[]): Given {
  const options = Object.fromEntries(
    Object.entries<Option>(OPTIONS).map(([name, { value, several }]) => [
      name,
      {
        type: value === undefined ? ("boolean" as const) : ("string" as const),
        ...(several === true ? { multiple: true } : {}),
        ...(name === "help" ? { short: "h" } : {}),
      },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options }).values as Given;
  } catch (error) {
    const what = messageOf(error).replace(/(?<![.!?])$/, ".");
    throw new CommandProblem(`${what} Call it with --help to see all options.`);
  }
}

function text(given: Given, name: OptionName): string | undefined {
  const value = given[name];
  if (typeof value !== "string") return undefined;
  if (value.trim() !== "") return value;
  throw new CommandProblem(`--${name} is empty. Give it a value, or leave it out.`);
}

function list(given: Given, name: OptionName): string[] {
  const value = given[name];
  return Array.isArray(value) ? value : [];
}

/** A date is in UTC. A time of day without a zone would be in that of the machine. */
const TIME = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d))?$/i;

function time(given: Given, name: OptionName): number | undefined {
  const value = text(given, name);
  if (value === undefined) return undefined;
  const at = TIME.test(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new CommandProblem(
    `--${name} must be a time with its zone such as 2026-01-31T12:00:00Z or 2026-01-31T12:00:00+01:00, or a date such as 2026-01-31, which is in UTC; not ${JSON.stringify(value)}.`,
  );
}

function wholeNumber(given: Given, name: OptionName): number | undefined {
  const value = text(given, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new CommandProblem(`--${name} must be a whole number from 0, not ${JSON.stringify(value)}.`);
}

function timeZone(given: Given): string | undefined {
  const value = text(given, "time-zone");
  if (value === undefined) return undefined;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: value }).resolvedOptions().timeZone;
  } catch {
    throw new CommandProblem(
      `--time-zone must be the name of a time zone such as Europe/Berlin, not ${JSON.stringify(value)}.`,
    );
  }
}

/** A wrong call or file: one sentence for the person who calls the command, and what to do. */
export class CommandProblem extends Error {}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
