import type { NodeAPI } from "node-red";
import { formContext } from "../../../nodes/common/fields/field-reader.ts";
import type { FleetNode } from "../../../nodes/common/fleet/fleet.ts";
import { provideFleet } from "../../../nodes/common/fleet/join-fleet.ts";
import type { Library } from "../../../nodes/common/library.ts";
import { type FleetDef, NODE } from "../../../nodes/fleet/fields.ts";

/** Never opened: what is shared is in memory. */
const NOWHERE = "redis://rehearsal.invalid";

/** A shared state that only this process knows. Each rehearsal begins with an empty one. */
export function registerFleet(RED: NodeAPI, library: Promise<Library>): void {
  function ConstructFleet(this: FleetNode, def: FleetDef): void {
    RED.nodes.createNode(this, def);
    const leaseMs = formContext(RED, this, NODE, def).fields.milliseconds("lease");
    const settings = { url: NOWHERE, namespace: this.id, leaseMs };
    provideFleet(settings, async () => new (await library).MemorySharedState());
    this.fleet = { problem: undefined, settings, origin: undefined };
  }
  RED.nodes.registerType("crec-fleet", ConstructFleet);
}
