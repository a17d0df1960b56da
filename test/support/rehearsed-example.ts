import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { eventsOfFile, type ReadEventFile } from "../../rehearsal/parent/events/event-file.ts";
import { chooseFlows } from "../../rehearsal/parent/flows/choose.ts";
import { makeJob } from "../../rehearsal/parent/make-job.ts";
import type { FlowNode, Job } from "../../rehearsal/shared/job.ts";
import { root } from "../../scripts/lib/paths.mjs";
import { SCENARIO_VARIABLES } from "./scenario-files.ts";

/**
 * The job of an example over the events of a file, with the variables that make it accept them. The span ends at the
 * last event.
 *
 * @param name of the example, without its ending
 */
export async function exampleJob(name: string, file: ReadEventFile): Promise<Job> {
  const text = await readFile(join(root, "examples", `${name}.json`), "utf8");
  const flows = JSON.parse(text) as FlowNode[];
  const tabs = flows.filter(({ type }) => type === "tab").map(({ id }) => id);
  const { span } = eventsOfFile(file);
  const environment = SCENARIO_VARIABLES;
  return makeJob({
    ...{ chosen: chooseFlows(flows, tabs), span, environment, timeZone: "UTC" },
    snapshot: file.snapshot ?? { networks: [], wallets: [], channels: [] },
  });
}
