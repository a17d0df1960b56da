import type { Incident } from "./faults.ts";
import type { FleetRecord } from "./records.ts";

/** What a run leaves behind. */
export type Outcome = {
  /** How many events there were. They are numbered from 1 on. */
  events: number;
  /** How many messages of a copy may have been in the flow at the same time. */
  inFlight: number;
  records: readonly FleetRecord[];
  incidents: readonly Incident[];
  /** From the chain: by the number of each event, how often its operation was executed. */
  executions: ReadonlyMap<number, number>;
  /** The epochs of the lease, as somebody else saw them in the database, one after the other. */
  leaseEpochs: readonly number[];
  /** The cursor that the database had in the end. */
  cursor: number | undefined;
  /** What each copy logged. */
  logs: readonly string[];
};

const CRASH = /uncaught|unhandled|INTERNAL_ERROR|OPERATION_KEY_REUSED|Error stopping/i;

/** What is wrong, one sentence each; empty when each promise was kept. */
export function problemsOf(outcome: Outcome): string[] {
  return [
    ...lost(outcome),
    ...repeated(outcome),
    ...executed(outcome),
    ...epochs(outcome),
    ...late(outcome),
    ...rest(outcome),
  ];
}

/** Each event was processed and acknowledged, and the database knows it. */
function lost({ events, records, cursor }: Outcome): string[] {
  const numbers = numbersIn(records);
  const done = new Set(ofKind(records, "done").map(({ eventId }) => numbers.get(eventId)));
  const missing = range(events).filter((number) => !done.has(number));
  const last = records.reduce((highest, { offset }) => Math.max(highest, offset), -1);
  return [
    ...(missing.length > 0 ? [`Not processed: ${missing.join(", ")}.`] : []),
    ...(cursor === last ? [] : [`The cursor ends at ${cursor}, the last event is at ${last}.`]),
  ];
}

/** What is sent again says so. A copy that lost the lease cannot know it: `late` counts what that one sends. */
function repeated({ records }: Outcome): string[] {
  const seen = new Set<string>();
  const unmarked: FleetRecord[] = [];
  for (const one of withoutLate(ofKind(records, "sent"))) {
    if (seen.has(one.eventId) && !one.repeated) unmarked.push(one);
    seen.add(one.eventId);
  }
  const again = new Set(
    ofKind(records, "sent")
      .filter((one) => one.repeated)
      .map(({ eventId }) => eventId),
  );
  const twice = duplicates(ofKind(records, "acked").map(({ eventId }) => eventId));
  const silently = twice.filter((eventId) => !again.has(eventId));
  return [
    ...unmarked.map((one) => `Sent again without a mark: ${described(one)}.`),
    ...silently.map((eventId) => `Acknowledged twice without a mark: event ${eventId}.`),
  ];
}

function executed({ events, executions }: Outcome): string[] {
  const expected = new Set(range(events));
  const wrong = range(events).filter((number) => executions.get(number) !== 1);
  const unknown = [...executions.keys()].filter((number) => !expected.has(number));
  return [
    ...wrong.map(
      (number) => `The operation of event ${number} was executed ${executions.get(number) ?? 0} times.`,
    ),
    ...unknown.map((number) => `There is an operation of event ${number}, which does not exist.`),
  ];
}

/** Each epoch belongs to one copy, and none comes after a higher one. */
function epochs({ records, leaseEpochs }: Outcome): string[] {
  const owners = Map.groupBy(ofKind(records, "sent"), ({ epoch }) => epoch);
  const without = owners.get(undefined) ?? [];
  const shared = [...owners].filter(([, sent]) => new Set(sent.map(({ copy }) => copy)).size > 1);
  const back = leaseEpochs.filter((epoch, index) => epoch < (leaseEpochs[index - 1] ?? 0));
  return [
    ...(without.length > 0 ? [`${without.length} messages have no epoch.`] : []),
    ...shared.map(([epoch]) => `More than one copy had the lease with epoch ${epoch}.`),
    ...back.map((epoch) => `The epoch of the lease went back to ${epoch}.`),
  ];
}

/** A copy that has lost its lease sends at most what may be in flight. */
function late({ records, inFlight }: Outcome): string[] {
  const sent = ofKind(records, "sent");
  const onTime = new Set(withoutLate(sent));
  const groups = Map.groupBy(
    sent.filter((one) => !onTime.has(one)),
    ({ epoch }) => epoch,
  );
  return [...groups.values()]
    .filter((group) => group.length > inFlight)
    .map((group) => `Sent after the lease was another copy's: ${group.map(described).join("; ")}.`);
}

function rest({ records, logs }: Outcome): string[] {
  const crashes = logs.flatMap((log) => log.split("\n").filter((line) => CRASH.test(line)));
  return [...ofKind(records, "rejected").map((one) => `Rejected: ${described(one)}.`), ...crashes];
}

/** How many messages left a copy that had lost the lease. */
export function lateCount({ records }: Outcome): number {
  const sent = ofKind(records, "sent");
  return sent.length - withoutLate(sent).length;
}

/** Without those of a lower epoch than one before them. */
function withoutLate(sent: readonly FleetRecord[]): FleetRecord[] {
  let highest = 0;
  return sent.filter(({ epoch = 0 }) => {
    highest = Math.max(highest, epoch);
    return epoch === highest;
  });
}

function numbersIn(records: readonly FleetRecord[]): Map<string, number> {
  return new Map(ofKind(records, "sent").map(({ eventId, value }) => [eventId, Number(value)]));
}

function ofKind(records: readonly FleetRecord[], kind: FleetRecord["kind"]): FleetRecord[] {
  return records.filter((one) => one.kind === kind);
}

function described({ copy, epoch, offset, eventId, atMs }: FleetRecord): string {
  return `offset ${offset} by copy ${copy}, epoch ${epoch}, at ${Math.round(atMs)} (event ${eventId})`;
}

function duplicates(all: readonly string[]): string[] {
  const seen = new Set<string>();
  return [...new Set(all.filter((one) => seen.has(one) || !seen.add(one)))];
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
