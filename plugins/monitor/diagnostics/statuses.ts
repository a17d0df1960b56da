import type { NodeAPI } from "node-red";
import { dropOldest } from "../../../nodes/common/shared/drop-oldest.ts";

export type Status = { fill?: string; shape?: string; text?: string };

/** More nodes than a Node-RED runs. */
const MOST = 20_000;

/** The present statuses of all nodes, by id. Also a node whose name no editor has asked for has one. */
export class Statuses {
  readonly #byId = new Map<string, Status>();

  constructor({ events }: NodeAPI) {
    events.on("node-status", ({ id, status }: { id: string; status?: Status }) => {
      this.#byId.delete(id);
      if (status && Object.keys(status).length > 0) this.#byId.set(id, status);
      dropOldest(this.#byId, MOST);
    });
  }

  /** By the id of the running node: in a subflow, each instance has its own. */
  all(): ReadonlyMap<string, Status> {
    return this.#byId;
  }
}
