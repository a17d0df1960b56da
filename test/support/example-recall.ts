import { eventsOfFile, type ReadEventFile } from "../../rehearsal/parent/events/event-file.ts";
import { chooseFlows } from "../../rehearsal/parent/flows/choose.ts";
import { makeJob } from "../../rehearsal/parent/make-job.ts";
import { type Recall, recallOf } from "../../rehearsal/report/recall.ts";
import type { PastEvent } from "../../rehearsal/shared/job.ts";
import type { Report } from "../../rehearsal/shared/report.ts";
import { example } from "./node-red.ts";
import { rehearse } from "./rehearsal.ts";
import { SCENARIO_VARIABLES } from "./scenario-files.ts";

/** What a shipped flow did in one rehearsal of a scenario. */
export type Measured = Recall & { hours: number };

const HOUR_MS = 3_600_000;
/** None is left out: recall needs all of them. */
const ALL = 100_000;

type Options = {
  variables?: Readonly<Record<string, string>>;
  /** How long the rehearsal goes on after the last event, in milliseconds. @default 0 */
  goOnMs?: number;
};

/** Rehearses shipped flows together over a file of a scenario. By their names. */
export async function recallOfExamples(
  names: readonly string[],
  file: ReadEventFile,
  { variables = SCENARIO_VARIABLES, goOnMs = 0 }: Options = {},
): Promise<{ report: Report; measured: Map<string, Measured> }> {
  const flows = new Map(await Promise.all(names.map(async (name) => [name, await example(name)] as const)));
  // Config nodes and the subflow are in several of them.
  const all = [...new Map([...flows.values()].flat().map((node) => [node.id, node])).values()];
  const tabs = all.filter(({ type }) => type === "tab").map(({ id }) => id);
  const { span: read, batches } = eventsOfFile(file);
  const span = { from: read.from, to: read.to + goOnMs };
  const events: PastEvent[] = [];
  for await (const batch of batches) events.push(...batch);
  const job = makeJob({
    chosen: chooseFlows(all, tabs),
    ...{ span, snapshot: file.snapshot, environment: variables, timeZone: "UTC" },
    limits: { outcomesPerNode: ALL },
  });
  const report = await rehearse(job, events);
  const measured = [...flows].map(([name, nodes]): [string, Measured] => {
    const own = new Set(nodes.map(({ id }) => id));
    const outcomes = report.outcomes.filter(({ node }) => own.has(node));
    return [name, { ...recallOf(file, outcomes), hours: (span.to - span.from) / HOUR_MS }];
  });
  return { report, measured: new Map(measured) };
}
