import type { NodeAPI } from "node-red";
import { Flows } from "../common/flows/flows.ts";
import { Paths } from "../common/flows/paths.ts";

type Wired = ReadonlyMap<string, ReadonlySet<string>>;

const NONE: ReadonlySet<string> = new Set();
/** Found once for all alert nodes, until the next deploy. */
const found = new WeakMap<object, Promise<Wired>>();

/** The ids of the events in nodes whose messages get to an alert node by the wires of the deployed flows. */
export async function wiredReaders(RED: NodeAPI, alert: string): Promise<ReadonlySet<string>> {
  const { events } = RED;
  const known = found.get(events) ?? findIn(RED);
  if (!found.has(events)) {
    found.set(events, known);
    const forget = () => found.delete(events);
    events.once("flows:started", forget);
    known.catch(forget);
  }
  const wired = await known.catch(() => undefined);
  return wired?.get(alert) ?? NONE;
}

async function findIn(RED: NodeAPI): Promise<Wired> {
  return new Paths(RED.nodes, await Flows.read(RED.nodes)).feeding("crec-events-in", "crec-alert");
}
