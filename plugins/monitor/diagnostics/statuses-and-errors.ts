import { EventEmitter } from "node:events";
import type { Node, NodeAPI } from "node-red";
import { dropOldest } from "../../../nodes/common/shared/collections.ts";
import { messageOf } from "../../../nodes/common/shared/errors.ts";

/** An error that a node of ours reported. Its text is not redacted yet. */
export type ReportedError = {
  node: string;
  type: string;
  code: string | undefined;
  text: string;
  /** Of the last one, if it was reported several times in a row. Unix milliseconds. */
  at: number;
  times: number;
};

type LogEntry = { level: number; id?: string; type?: string; msg: unknown; timestamp: number };
type Completion = { node: { node: Node }; error?: unknown };

const MOST_ERRORS = 50;
/** Enough for a sentence; an error of a service can be a whole page. */
const LONGEST = 2_000;
const LABEL = "crec-diagnostics";

/** The last errors of our nodes: those in the log, and those that a Catch node has handled. */
export class LastErrors {
  readonly #errors: ReportedError[] = [];
  /** An error that no Catch node handles is reported twice: by the node, then in the log. */
  readonly #seen = new WeakSet<object>();

  constructor({ hooks, log }: NodeAPI) {
    hooks.add(`onComplete.${LABEL}`, ({ node: { node }, error }: Completion) => {
      if (error && isOursByType(node?.type)) this.#take(node, error, Date.now());
    });
    const handler = new EventEmitter();
    handler.on("log", ({ level, id, type, msg, timestamp }: LogEntry) => {
      if (level <= log.ERROR && id !== undefined && isOursByType(type))
        this.#take({ id, type }, msg, timestamp);
    });
    log.addHandler(handler);
  }

  /** The newest last. */
  all(): readonly ReportedError[] {
    return this.#errors;
  }

  #take({ id, type }: { id: string; type: string }, error: unknown, at: number): void {
    if (typeof error === "object" && error !== null) {
      if (this.#seen.has(error)) return;
      this.#seen.add(error);
    }
    const { code } = (error ?? {}) as { code?: unknown };
    const text = messageOf(error).slice(0, LONGEST);
    const last = this.#errors.at(-1);
    if (last && last.node === id && last.text === text) {
      last.at = at;
      last.times += 1;
      return;
    }
    const reported = {
      node: id,
      type,
      code: typeof code === "string" ? code : undefined,
      text,
      at,
      times: 1,
    };
    this.#errors.push(reported);
    if (this.#errors.length > MOST_ERRORS) this.#errors.shift();
  }
}

function isOursByType(type: string | undefined): type is string {
  return type?.startsWith("crec-") ?? false;
}

export type Status = { fill?: string; shape?: string; text?: string };

/** More nodes than a Node-RED runs. */
const MOST_STATUSES = 20_000;

/** The present statuses of all nodes, by id. Also a node whose name no editor has asked for has one. */
export class Statuses {
  readonly #byId = new Map<string, Status>();

  constructor({ events }: NodeAPI) {
    events.on("node-status", ({ id, status }: { id: string; status?: Status }) => {
      this.#byId.delete(id);
      if (status && Object.keys(status).length > 0) this.#byId.set(id, status);
      dropOldest(this.#byId, MOST_STATUSES);
    });
  }

  /** By the id of the running node: in a subflow, each instance has its own. */
  all(): ReadonlyMap<string, Status> {
    return this.#byId;
  }
}
