import type { NodeAPI } from "node-red";
import type { MonitorContext } from "../context.ts";
import { Bounds } from "./bounds.ts";
import { Counters } from "./counters.ts";
import { type Format, info, type Labels, textOf } from "./exposition.ts";
import { gauges } from "./gauges.ts";
import { type Health, healthOf, stateOf } from "./health.ts";

/** Counts from now on, until the process ends. */
export class Monitoring {
  readonly #monitor: Omit<MonitorContext, "RED">;
  readonly #bounds = new Bounds();
  readonly #counters = new Counters(this.#bounds);

  constructor(monitor: Omit<MonitorContext, "RED">) {
    this.#monitor = monitor;
    monitor.activity.onFact((fact) => this.#counters.count(fact));
  }

  /** All metrics. `build`: versions, as labels. */
  metrics(format: Format, build: Labels): string {
    const state = stateOf(this.#monitor);
    for (const { consumer } of state.readers) this.#counters.expect(this.#bounds.consumer.of(consumer));
    const health = healthOf(state, this.#monitor.t).status;
    return textOf(
      [
        info({ name: "crec_build", help: "Versions of this package, Node-RED and Node.js." }, build),
        ...gauges({ ...state, health }, this.#monitor.activity, this.#bounds),
        ...this.#counters.families(),
      ],
      format,
    );
  }

  health(): Health {
    return healthOf(stateOf(this.#monitor), this.#monitor.t);
  }
}

/** A deploy stops flows and starts them again, and nodes may take some time for that. */
const DEPLOY_MS = 30_000;

/** Whether the flows run. They do not while Node-RED starts, where node types are missing, and in safe mode. */
export function flowsRunning(
  { events, nodes }: Pick<NodeAPI, "events" | "nodes">,
  now = () => performance.now(),
): () => boolean {
  let isStarted = isInstalledLater(nodes);
  let stoppedAt: number | undefined;
  events.on("flows:started", () => {
    isStarted = true;
    stoppedAt = undefined;
  });
  events.on("flows:stopped", () => {
    stoppedAt ??= now();
  });
  return () => isStarted && (stoppedAt === undefined || now() - stoppedAt < DEPLOY_MS);
}

/** By the palette manager, when the flows have started: they are loaded after the plugins. */
function isInstalledLater(nodes: NodeAPI["nodes"]): boolean {
  try {
    nodes.eachNode(() => undefined);
    return true;
  } catch {
    return false;
  }
}
