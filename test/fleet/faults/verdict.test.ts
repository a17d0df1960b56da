import should from "should";
import type { FleetRecord } from "./records.ts";
import { type Outcome, problemsOf } from "./verdict.ts";

/** Three events. Copy a sends two of them and is suspended; copy b sends the second one again, and the third. */
const RECORDS: readonly FleetRecord[] = [
  record("sent", 1, "a", 7),
  record("done", 1, "a", 7),
  record("acked", 1, "a", 7),
  record("sent", 2, "a", 7),
  record("sent", 2, "b", 9, true),
  record("done", 2, "b", 9, true),
  record("acked", 2, "b", 9, true),
  record("sent", 3, "b", 9),
  record("done", 3, "b", 9),
  record("acked", 3, "b", 9),
  record("moved", 2, "a", 7),
].map((one, index) => ({ ...one, atMs: index }));

const KEPT: Outcome = {
  events: 3,
  inFlight: 1,
  records: RECORDS,
  incidents: [],
  executions: new Map([1, 2, 3].map((number) => [number, 1])),
  leaseEpochs: [7, 9, 10],
  cursor: 3,
  logs: [],
};

/** What must be found, by what it is about. */
const BROKEN: Record<string, [expected: RegExp, change: Partial<Outcome>]> = {
  "an event that was not processed": [
    /Not processed: 3/,
    { records: RECORDS.filter(({ kind, offset }) => kind !== "done" || offset !== 3) },
  ],
  "a cursor that was not saved": [/cursor ends at 2/, { cursor: 2 }],
  "a repetition that does not say so": [
    /Sent again without a mark: offset 2/,
    { records: RECORDS.map((one) => ({ ...one, repeated: false })) },
  ],
  "an event that was acknowledged twice": [
    /Acknowledged twice without a mark/,
    { records: [...RECORDS, record("acked", 3, "b", 9)] },
  ],
  "an operation that was executed twice": [
    /event 2 was executed 2 times/,
    { executions: new Map([...KEPT.executions, [2, 2]]) },
  ],
  "an operation that was not executed": [
    /event 3 was executed 0 times/,
    { events: 3, executions: new Map([1, 2].map((number) => [number, 1])) },
  ],
  "an operation of no event": [
    /event 4, which does not exist/,
    { executions: new Map([...KEPT.executions, [4, 1]]) },
  ],
  "two copies with one epoch": [
    /More than one copy had the lease with epoch 9/,
    { records: [...RECORDS, record("sent", 3, "c", 9, true)] },
  ],
  "an epoch that goes back": [/went back to 8/, { leaseEpochs: [7, 9, 8] }],
  "a message without an epoch": [
    /1 messages have no epoch/,
    {
      records: RECORDS.map(({ epoch, ...one }, index) => (index === 0 ? one : { ...one, epoch: epoch ?? 0 })),
    },
  ],
  "more late messages than may be in flight": [
    /Sent after the lease was another copy's/,
    { records: [...RECORDS, record("sent", 3, "a", 7), record("sent", 2, "a", 7)] },
  ],
  "a rejected event": [/Rejected: offset 3/, { records: [...RECORDS, record("rejected", 3, "b", 9)] }],
  "an error that nobody handled": [/uncaught/, { logs: ["fine\nuncaughtException: no\n"] }],
};

describe("the verdict on a fleet", () => {
  it("finds nothing where each promise was kept", () => {
    should(problemsOf(KEPT)).deepEqual([]);
  });

  it("accepts what a suspended copy still had in flight", () => {
    should(problemsOf({ ...KEPT, records: [...RECORDS, record("sent", 3, "a", 7)] })).deepEqual([]);
  });

  for (const [what, [expected, change]] of Object.entries(BROKEN)) {
    it(`finds ${what}`, () => {
      should(problemsOf({ ...KEPT, ...change }).join("\n")).match(expected);
    });
  }
});

function record(
  kind: FleetRecord["kind"],
  number: number,
  copy: string,
  epoch: number,
  repeated = false,
): FleetRecord {
  const sent = kind === "sent" ? { value: String(number) } : {};
  return { atMs: 100, copy, kind, eventId: `event-${number}`, offset: number, epoch, repeated, ...sent };
}
