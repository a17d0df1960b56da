import type { Engine } from "./engine.ts";
import { FAULT_KINDS, type FaultKind, type Incident, inflict } from "./faults.ts";
import { Observer } from "./observer.ts";
import { Stage } from "./stage.ts";
import type { Outcome } from "./verdict.ts";

export type FleetRun = {
  startEngine: () => Promise<Engine>;
  /** At least so many; more where the faults outlast them. */
  events: number;
  /** How many faults there are; each kind comes before one comes again. */
  faults: number;
  /** How many messages may be in the flow at the same time. @default 3 */
  inFlight?: number;
  /** How many Node-REDs there are. @default 3 */
  copies?: number;
  /** So many events wait to be read while faults go on. @default 40 */
  backlog?: number;
  /** Only these. */
  kinds?: readonly FaultKind[];
  random: () => number;
  /** Changes what the copies send to the database. */
  alter?: ((sent: string) => string) | undefined;
};

/** For one event at the end, when nothing else happens. */
const EVENT_MS = 1_000;

/** Lets three Node-REDs, or so many as are wanted, process a channel while faults happen to the one that reads. */
export async function runFleet(run: FleetRun): Promise<Outcome> {
  const { events, inFlight = 3 } = run;
  const stage = await Stage.start({ ...run, inFlight });
  let observer: Observer | undefined;
  try {
    for (const { toEngine } of stage.copies) toEngine.alter = run.alter;
    await stage.addEvents(events);
    observer = await Observer.start(stage);
    await Promise.all(stage.copies.map((copy) => stage.deploy(copy)));
    const incidents: Incident[] = [];
    for (const [index, kind] of faultsOf(run).entries()) {
      // Between two faults, each copy has read for a while.
      const goal = Math.floor(((index + 1) * events) / (run.faults + 2));
      await stage.progress(Math.max(1, goal - stage.done));
      incidents.push(await inflict(stage, kind));
    }
    await stage.drained(180_000 + (stage.events - stage.done) * EVENT_MS);
    const logs = stage.copies.map(({ nodeRed }) => nodeRed.log);
    await Promise.all(stage.copies.map(({ nodeRed }) => nodeRed.stop()));
    return {
      ...{ events: stage.events, inFlight, records: stage.records.all, incidents, logs },
      executions: await stage.chain.executions(),
      ...(await observer.end()),
    };
  } finally {
    await observer?.close();
    await stage.close();
  }
}

/** In random order. */
function faultsOf({ faults, kinds = FAULT_KINDS, random }: FleetRun): FaultKind[] {
  const chosen: FaultKind[] = [];
  while (chosen.length < faults) {
    const order = kinds.map((kind) => ({ kind, rank: random() })).sort((a, b) => a.rank - b.rank);
    chosen.push(...order.map(({ kind }) => kind));
  }
  return chosen.slice(0, faults);
}
