import { stateRefusals } from "../../../nodes/common/folder/state-files.ts";
import type { Activity } from "../../../nodes/common/telemetry/activity.ts";
import type { IssueList } from "../issues/issue-list.ts";
import { Bounds } from "./bounds.ts";
import { Counters } from "./counters.ts";
import { info, type Labels } from "./exposition/families.ts";
import { type Format, textOf } from "./exposition/text.ts";
import { gauges } from "./gauges.ts";
import { type Checked, type Health, healthOf, type Say } from "./health.ts";

/** What the nodes report, read once for each answer. */
type Reported = Pick<Checked, "connections" | "readers" | "sharedStates">;
type Parts = { activity: Activity; issues: IssueList; areFlowsRunning: () => boolean; say: Say };

/** Counts from now on, until the process ends. */
export class Monitoring {
  readonly #parts: Parts;
  readonly #bounds = new Bounds();
  readonly #counters = new Counters(this.#bounds);

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.activity.onFact((fact) => this.#counters.count(fact));
  }

  /** All metrics. `build`: versions, as labels. */
  metrics(format: Format, build: Labels): string {
    const { activity, issues } = this.#parts;
    const reported = this.#reports();
    for (const { consumer } of reported.readers) this.#counters.expect(this.#bounds.consumer.of(consumer));
    const snapshot = { ...reported, health: this.#judge(reported).status };
    return textOf(
      [
        info({ name: "crec_build", help: "Versions of this package, Node-RED and Node.js." }, build),
        ...gauges(snapshot, { activity, issues, bounds: this.#bounds }),
        ...this.#counters.families(),
      ],
      format,
    );
  }

  health(): Health {
    return this.#judge(this.#reports());
  }

  #reports(): Reported {
    const { activity } = this.#parts;
    return {
      connections: activity.connections.reports(),
      readers: activity.readers.reports(),
      sharedStates: activity.sharedStates.reports(),
    };
  }

  #judge(reported: Reported): Health {
    const { issues, areFlowsRunning, say } = this.#parts;
    const checked = {
      ...reported,
      ...{
        issues: issues.all(),
        stateRefusals: stateRefusals(),
        isUsed: (node: string) => issues.isUsed(node),
      },
      ...{ areFlowsRunning: areFlowsRunning(), now: Date.now() },
    };
    return healthOf(checked, say);
  }
}
