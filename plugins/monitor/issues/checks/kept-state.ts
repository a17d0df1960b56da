import { readFile, realpath } from "node:fs/promises";
import type { NodeAPI } from "node-red";
import { type FleetNode, type FleetRef, fleetOfEnvironment } from "../../../../nodes/common/fleet/fleet.ts";
import { isEvictionUnknown } from "../../../../nodes/common/fleet/join-fleet.ts";
import type { FlowNode } from "../../../../nodes/common/flows/flows.ts";
import { stateFolder } from "../../../../nodes/common/folder/state-folder.ts";
import { isContainer } from "../../container.ts";
import type { Check, CheckContext, Finding } from "../check-context.ts";

/** What nodes must remember is in a place that a restart empties. */
export const stateLost: Check = {
  name: "state-lost",
  find: async (context) => {
    const { flows } = context;
    const ofStores = flows
      .ofType("crec-events-in")
      .filter(
        ({ store, fleet }) => !hasFleet(fleet) && store && isInMemory(context.RED.settings, String(store)),
      )
      .map((node): Finding => {
        const origin = flows.originOf(node);
        const values = { node: origin.label, store: String(node.store) };
        return { case: "memory-store", severity: "warning", origin, values };
      });
    const [first] = nodesWithFiles(flows);
    const folder = stateFolder(context.RED).path;
    const loss = first ? await lossOf(folder) : undefined;
    if (!first || !loss) return ofStores;
    const origin = flows.originOf(first);
    return [...ofStores, { case: loss, severity: "error", origin, values: { folder } }];
  },
};

/** In an order that a deploy does not change: the first one stands for all of them. */
function nodesWithFiles(flows: CheckContext["flows"]): FlowNode[] {
  return flows
    .ofType("crec-events-in", "crec-verify-event", "crec-alert")
    .filter(({ type, store, fleet, firstTimeOnly }) => {
      const isKept = type !== "crec-verify-event" || firstTimeOnly === true;
      return isKept && !store && !hasFleet(fleet);
    })
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

function hasFleet(fleet: unknown): boolean {
  return Boolean(fleet || process.env.CREC_FLEET_URL);
}

/** Whether a context store is only in memory. Without any settings, Node-RED has one in memory. */
function isInMemory(settings: NodeAPI["settings"], name: string): boolean {
  const { contextStorage } = settings as { contextStorage?: Record<string, unknown> };
  if (!contextStorage || Object.keys(contextStorage).length === 0) return true;
  const named = contextStorage[name];
  // The default may be the name of another one.
  const found = typeof named === "string" ? contextStorage[named] : named;
  return (found as { module?: unknown } | undefined)?.module === "memory";
}

/** When a folder is emptied: with its container, or when the machine restarts. */
type Loss = "container" | "memory";

const IN_MEMORY = new Set(["tmpfs", "ramfs"]);
/** The file systems of containers, which last as long as they do. */
const LAYERS = new Set(["overlay", "aufs", "fuse-overlayfs"]);

/** How a folder is lost, as far as Linux says it; undefined where nothing shows that it is. */
async function lossOf(folder: string): Promise<Loss | undefined> {
  try {
    const [path, mounts] = await Promise.all([realpath(folder), readFile("/proc/self/mountinfo", "utf8")]);
    return lossIn(mounts, { path, isContainer: isContainer() });
  } catch {
    // Another system, or a folder that nothing was written to yet.
    return undefined;
  }
}

/**
 * @param mounts the text of `/proc/self/mountinfo`
 * @param place.path of the folder, without links
 */
export function lossIn(mounts: string, place: { path: string; isContainer: boolean }): Loss | undefined {
  let [longest, type] = [-1, ""];
  for (const line of mounts.split("\n")) {
    const [before = "", after = ""] = line.split(" - ");
    const point = (before.split(" ")[4] ?? "").replaceAll("\\040", " ");
    const isAbove = point === "/" || place.path === point || place.path.startsWith(`${point}/`);
    // A later one hides an earlier one at the same place.
    if (point !== "" && isAbove && point.length >= longest)
      [longest, type] = [point.length, after.split(" ")[0] ?? ""];
  }
  if (IN_MEMORY.has(type)) return "memory";
  return place.isContainer && LAYERS.has(type) ? "container" : undefined;
}

const USERS = ["crec-events-in", "crec-verify-event", "crec-alert", "crec-submit-operation"];

/** A Redis does not say whether it may evict what copies share: its user may not ask. */
export const evictionUnknown: Check = {
  name: "eviction-unknown",
  find: async (context) => {
    const { flows } = context;
    const found: Finding[] = [];
    const add = async (node: FlowNode | undefined, ref: FleetRef | undefined, kind: string) => {
      if (!node || !ref || !(await isEvictionUnknown(ref.settings))) return;
      const origin = flows.originOf(node);
      found.push({ case: kind, severity: "warning", origin, values: { node: origin.label } });
    };
    for (const node of flows.ofType("crec-fleet"))
      await add(node, context.running<FleetNode>(node.id)?.fleet, "node");
    // One of the nodes that use it stands for all: no config node says the URL.
    const [user] = flows
      .ofType(...USERS)
      .filter(({ fleet }) => !fleet)
      .toSorted((one, other) => (one.id < other.id ? -1 : 1));
    await add(user, fleetOfEnvironment(), "environment");
    return found;
  },
};
