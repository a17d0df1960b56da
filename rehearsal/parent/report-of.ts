import {
  type NodeReport,
  type Note,
  OUTCOME_KINDS,
  type Outcome,
  type Path,
  type Report,
  type WireReport,
} from "../shared/report.ts";

// A flow can write a report of its own into the pipe. It may say anything, but it must be a report: what shows it does
// not look again.

type Check = (value: unknown) => boolean;
/** A check for each property. Others may be there, and are ignored. */
type Checks<T> = { [Name in keyof Required<T>]: Check };

/** As far as a `Date` goes. Milliseconds. */
const LAST_TIME = 8.64e15;

const text: Check = (value) => typeof value === "string";
const count: Check = (value) => Number.isSafeInteger(value);
const time: Check = (value) => typeof value === "number" && Math.abs(value) <= LAST_TIME;
const anything: Check = () => true;
const truth: Check = (value) => typeof value === "boolean";

const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const countsByName: Check = (value) => isObject(value) && Object.values(value).every(count);
const kind: Check = (value) => OUTCOME_KINDS.some((known) => known === value);
const countsByKind: Check = (value) => countsByName(value) && Object.keys(value as object).every(kind);
function shape<T>(checks: Checks<T>): Check {
  const entries = Object.entries<Check>(checks);
  return (value) => isObject(value) && entries.every(([name, check]) => check(ownOf(value, name)));
}

const wire = shape<WireReport>({ from: text, port: count, to: text, count });
const node = shape<NodeReport>({
  ...{ id: text, type: text, name: text, tab: text, handling: text },
  ...{ received: count, sent: list(count), outcomes: countsByKind, reasons: countsByName },
});
const outcome = shape<Outcome>({
  ...{ kind, at: time, node: text, text, why: optional(text), message: anything },
  event: optional(shape({ channelId: text, offset: count })),
  ...{ isCut: optional(truth), path: optional(count) },
});
const report = shape<Report>({
  format: (value) => value === "crec-rehearsal",
  version: (value) => value === 1,
  span: shape({ from: time, to: time }),
  ...{ seed: count, timeZone: isTimeZone },
  tabs: list(shape({ id: text, label: text })),
  channels: list(
    shape<Report["channels"][number]>({
      ...{ id: text, name: text, events: count },
      ...{ firstOffset: optional(count), lastOffset: optional(count) },
    }),
  ),
  events: shape({ read: count, delivered: count }),
  nodes: list(node),
  wires: list(wire),
  outcomes: list(outcome),
  paths: list(list(shape<Path[number]>({ from: text, port: count, to: text }))),
  notes: list(shape<Note>({ kind: text, node: optional(text), text })),
});

/** The value, if it is a report in all its parts. */
export function reportOf(value: unknown): Report | undefined {
  return report(value) ? (value as Report) : undefined;
}

/** A time zone that does not exist ends what shows a time. */
function isTimeZone(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: value }) !== undefined;
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function ownOf(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}
