import type { Job } from "../shared/job.ts";
import {
  LONGEST_PATH,
  LONGEST_SENTENCE,
  type NodeReport,
  type Note,
  OUTCOME_KINDS,
  type Outcome,
  type Path,
  type Report,
} from "../shared/report.ts";

// A flow can write a report of its own. It may say anything, but all that it names must be in the job or the report, and
// nothing else is taken over: what shows a report does not look again.

/** What a report must agree with. Plain data, for the worker that checks. */
export type Expected = Pick<Job, "span" | "seed" | "timeZone" | "limits"> & {
  /** By the id of the node: its type, and its tab or subflow. */
  nodes: Pick<ReadonlyMap<string, { type: string; tab: string }>, "get" | "has">;
  tabs: Pick<ReadonlySet<string>, "has">;
  channels: Pick<ReadonlySet<string>, "has">;
};

/** Outputs of a node. */
const MOST_PORTS = 10_000;
/** Kinds of outcomes, or reasons, of a node. */
const MOST_NAMES = 100;
/** The port of a wire inside a subflow, and of a way without a wire. */
const NO_PORT = -1;

const HANDLINGS = ["runs", "recorded", "withheld", "replied", "silent"] as const;
const NOTE_KINDS = [
  ...["silent-source", "recorded", "withheld", "variables", "cut", "not-found", "stopped", "waiting"],
] as ReadonlyArray<Note["kind"]>;

export function expectedOf({ flows, snapshot, span, seed, timeZone, limits }: Job): Expected {
  const nodes = new Map(flows.map(({ id, type, z }) => [id, { type, tab: String(z ?? "") }]));
  const tabs = new Set(flows.filter(({ type }) => type === "tab").map(({ id }) => id));
  const channels = new Set(snapshot.channels.map(({ channel }) => String(channel.channel_id)));
  return { span, seed, timeZone, limits, nodes, tabs, channels };
}

/** The report of this text, with nothing but what a report has. Undefined where any part of it is wrong. */
export function checkedReport(text: string, expected: Expected): Report | undefined {
  try {
    return read(JSON.parse(text), expected);
  } catch {
    // The error of a parser quotes what it reads.
    return undefined;
  }
}

const ANY = { has: () => true, get: () => undefined };

/** The report of a file whose job is not known: its parts have the form of a report, and agree with each other. */
export function reportOfFile(content: unknown): Report | undefined {
  try {
    const { span, seed, timeZone } = fieldsOf(content);
    const [from, to] = [time(fieldsOf(span).from), time(fieldsOf(span).to)];
    check(from <= to && Number.isSafeInteger(seed));
    const zone = text(timeZone);
    // Throws for one that there is not.
    new Intl.DateTimeFormat(undefined, { timeZone: zone });
    const limits = { outcomesPerNode: Infinity, paths: Infinity, messageBytes: Infinity };
    const own = { span: { from, to }, seed: seed as number, timeZone: zone, limits };
    return read(content, { ...own, nodes: ANY, tabs: ANY, channels: ANY });
  } catch {
    return undefined;
  }
}

/** The report of `value`, built anew. */
function read(value: unknown, expected: Expected): Report {
  const { span, seed, timeZone, limits } = expected;
  const all = fieldsOf(value);
  const given = fieldsOf(all.span);
  check(all.format === "crec-rehearsal" && all.version === 1);
  check(given.from === span.from && given.to === span.to);
  check(all.seed === seed && all.timeZone === timeZone);

  const ofJob = idIn(expected.nodes);
  const wire = (each: unknown) => wireOf(fieldsOf(each), ofJob);
  const channels = distinct(
    list(all.channels, (each) => channelOf(fieldsOf(each), expected)),
    ({ id }) => id,
  );
  const nodes = distinct(
    list(all.nodes, (each) => nodeOf(fieldsOf(each), expected)),
    ({ id }) => id,
  );
  const paths = list(all.paths, (each) => list(each, wire, LONGEST_PATH), limits.paths);
  const parts: Parts = { span, limits, paths: paths.length, node: ofJob, channel: idIn(byId(channels)) };
  const events = fieldsOf(all.events);
  return {
    ...{ format: "crec-rehearsal", version: 1, span: { ...span }, seed, timeZone },
    tabs: distinct(
      list(all.tabs, (each) => tabOf(fieldsOf(each), expected)),
      ({ id }) => id,
    ),
    channels,
    events: { read: count(events.read), delivered: count(events.delivered) },
    nodes,
    wires: distinct(
      list(all.wires, (each) => ({ ...wire(each), count: count(fieldsOf(each).count) })),
      ({ from, port, to }) => `${port} ${from} ${to}`,
    ),
    outcomes: list(all.outcomes, (each) => outcomeOf(fieldsOf(each), parts)),
    paths,
    notes: list(all.notes, (each) => noteOf(fieldsOf(each), ofJob)),
  };
}

function tabOf({ id, label }: Fields, { tabs }: Expected): Report["tabs"][number] {
  return { id: idIn(tabs)(id), label: text(label) };
}

function channelOf(
  { id, name, events, firstOffset, lastOffset }: Fields,
  { channels }: Expected,
): Report["channels"][number] {
  return {
    ...{ id: idIn(channels)(id), name: text(name), events: count(events) },
    ...(firstOffset === undefined ? {} : { firstOffset: count(firstOffset) }),
    ...(lastOffset === undefined ? {} : { lastOffset: count(lastOffset) }),
  };
}

function nodeOf(fields: Fields, { nodes }: Expected): NodeReport {
  const id = idIn(nodes)(fields.id);
  const { type, tab } = nodes.get(id) ?? fields;
  check(fields.type === type && fields.tab === tab);
  return {
    ...{ id, type: text(type), name: text(fields.name), tab: text(tab) },
    handling: oneOf(HANDLINGS)(fields.handling),
    received: count(fields.received),
    sent: list(fields.sent, count, MOST_PORTS),
    outcomes: counts(fields.outcomes, oneOf(OUTCOME_KINDS)),
    reasons: counts(fields.reasons, sentence),
  };
}

/** What outcomes may refer to. */
type Parts = Pick<Expected, "span" | "limits"> & { paths: number; node: Read<string>; channel: Read<string> };

function outcomeOf(fields: Fields, { span, limits, paths, node, channel }: Parts): Outcome {
  const { at, event, why, message, isCut, path } = fields;
  check(typeof at === "number" && at >= span.from && at <= span.to);
  // What is cut is a text of JSON, in which each quotation mark takes one more.
  check(message !== undefined && JSON.stringify(message).length <= 2 * limits.messageBytes + 2);
  const of = event === undefined ? undefined : fieldsOf(event);
  check(path === undefined || count(path) < paths);
  return {
    kind: oneOf(OUTCOME_KINDS)(fields.kind),
    at: at as number,
    // An error that no node reported has none.
    node: fields.node === "" ? "" : node(fields.node),
    text: sentence(fields.text),
    ...(of === undefined ? {} : { event: { channelId: channel(of.channelId), offset: count(of.offset) } }),
    ...(why === undefined ? {} : { why: sentence(why) }),
    message,
    ...(isCut === undefined ? {} : { isCut: truth(isCut) }),
    ...(path === undefined ? {} : { path: count(path) }),
  };
}

function wireOf({ from, port, to }: Fields, node: Read<string>): Path[number] {
  return { from: node(from), port: port === NO_PORT ? NO_PORT : count(port), to: node(to) };
}

function noteOf({ kind, node: about, text: said }: Fields, node: Read<string>): Note {
  return {
    kind: oneOf(NOTE_KINDS)(kind),
    ...(about === undefined ? {} : { node: node(about) }),
    text: text(said),
  };
}

type Fields = Readonly<Record<string, unknown>>;
/** Gives the value, or throws. */
type Read<T> = (value: unknown) => T;

/** Its own fields: nothing that every object has. */
function fieldsOf(value: unknown): Fields {
  check(typeof value === "object" && value !== null && !Array.isArray(value));
  return Object.assign(Object.create(null), value) as Fields;
}

function list<T>(value: unknown, item: Read<T>, most = Number.POSITIVE_INFINITY): T[] {
  check(Array.isArray(value) && value.length <= most);
  return (value as unknown[]).map((each) => item(each));
}

function counts<Name extends string>(value: unknown, name: Read<Name>): Record<Name, number> {
  const entries = Object.entries(fieldsOf(value));
  check(entries.length <= MOST_NAMES);
  return Object.fromEntries(entries.map(([key, of]) => [name(key), count(of)])) as Record<Name, number>;
}

function distinct<T>(items: T[], key: (item: T) => string): T[] {
  check(new Set(items.map(key)).size === items.length);
  return items;
}

function text(value: unknown): string {
  check(typeof value === "string");
  return value as string;
}

function sentence(value: unknown): string {
  check(text(value).length <= LONGEST_SENTENCE);
  return value as string;
}

function count(value: unknown): number {
  check(Number.isSafeInteger(value) && (value as number) >= 0);
  return value as number;
}

function time(value: unknown): number {
  check(typeof value === "number" && !Number.isNaN(new Date(value).getTime()));
  return value as number;
}

function truth(value: unknown): boolean {
  check(typeof value === "boolean");
  return value as boolean;
}

function oneOf<T extends string>(known: readonly T[]): Read<T> {
  return (value) => {
    check((known as readonly unknown[]).includes(value));
    return value as T;
  };
}

function idIn(known: { has(id: string): boolean }): Read<string> {
  return (value) => {
    check(typeof value === "string" && known.has(value));
    return value as string;
  };
}

function byId(items: ReadonlyArray<{ id: string }>): ReadonlySet<string> {
  return new Set(items.map(({ id }) => id));
}

function check(isSo: boolean): void {
  if (!isSo) throw new Error("It is not a report of this job.");
}
