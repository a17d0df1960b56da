import type { Node } from "node-red";
import type { NodeRedContext, Translate } from "../../../nodes/common/context.ts";
import type {
  ChannelNode,
  ChannelRef,
  Connection,
  ConnectionNode,
  WalletNode,
} from "../../../nodes/common/fields/config-nodes.ts";
import type { FlowNode, Flows } from "../../../nodes/common/flows/flows.ts";
import { Paths } from "../../../nodes/common/flows/paths.ts";
import { serviceIdentity, splitNames } from "../../../nodes/common/shared/text.ts";
import { isReference } from "../../../nodes/common/shared/variables.ts";
import type { Activity } from "../../../nodes/common/telemetry/activity.ts";
import type { Origin } from "../../../nodes/common/telemetry/types.ts";
import type { InFlightEvent } from "../../../src/index.ts";
import type { Fix, Issue } from "../types.ts";
import type { AnswerCache } from "./answer-cache.ts";

/** An issue, before it has its sentences. */
export type Finding = {
  /** Which of its sentences: `monitor.issue.<check>.<case>`. */
  case: string;
  severity: Issue["severity"];
  origin: Origin;
  /** Distinguishes several issues of one case and node. */
  detail?: string;
  values?: Readonly<Record<string, string | number>>;
  /** The node is in the flows no more, so none opens it. */
  isDeleted?: true;
  /** In addition to the one that opens the node. */
  buttons?: readonly Fix[];
};

/** One kind of issue. */
export type Check = {
  name: string;
  find(context: CheckContext): Finding[] | Promise<Finding[]>;
};

/** What an events in node knows; undefined until it reads. */
export type RunningReader = {
  identity: { channelId: string };
  consumer: {
    state: { kind: string; error?: { code?: string; message: string } };
    inFlight?: readonly InFlightEvent[];
  };
  watcherCheck: { unwatched: { names: readonly string[] } | undefined };
};

type Parts = NodeRedContext & {
  flows: Flows;
  activity: Activity;
  answers: AnswerCache;
  now: number;
  startedAt: number;
};

/** What the checks look at. Nothing of it asks the service. */
export class CheckContext implements NodeRedContext {
  readonly RED: NodeRedContext["RED"];
  readonly t: Translate;
  readonly flows: Flows;
  readonly paths: Paths;
  readonly activity: Activity;
  /** What the service has answered when a person wanted it. */
  readonly answers: AnswerCache;
  /** Unix milliseconds. */
  now: number;
  /** When the flows started. Unix milliseconds. */
  readonly startedAt: number;

  constructor(parts: Parts) {
    const { flows, activity, answers, now, startedAt } = parts;
    this.RED = parts.RED;
    this.t = parts.t;
    this.flows = flows;
    this.paths = new Paths(this.RED.nodes, flows);
    this.activity = activity;
    this.answers = answers;
    this.now = now;
    this.startedAt = startedAt;
  }

  /** A node that runs, with what its type may offer. */
  running<T>(id: string): (Node & Partial<T>) | undefined {
    return (this.RED.nodes.getNode(id) as (Node & Partial<T>) | null) ?? undefined;
  }

  /** The readers of a node: one, or one for each instance of its subflow. */
  readersOf(node: FlowNode): RunningReader[] {
    return this.readersAt(this.flows.runningIds(node));
  }

  readersAt(ids: readonly string[]): RunningReader[] {
    return ids.flatMap((id) => this.running<{ reader: RunningReader }>(id)?.reader ?? []);
  }

  /** The text of a field, with variables replaced; undefined where only a message, or an instance, decides it. */
  textOf(node: FlowNode, field: string): string | undefined {
    const raw = String(node[field] ?? "").trim();
    const type = node[`${field}Type`] || "str";
    const name = type === "env" ? raw : type === "str" && isReference(raw) ? raw.slice(2, -1) : undefined;
    if (name !== undefined) {
      const value = this.variable(node, name);
      return typeof value === "string" || typeof value === "number" ? String(value).trim() : undefined;
    }
    return type !== "str" || raw.includes("${") ? undefined : raw;
  }

  /** The names in a field; undefined where they are not known. */
  namesOf(node: FlowNode, field: string): string[] | undefined {
    const text = this.textOf(node, field);
    return text === undefined ? undefined : splitNames(text);
  }

  /** What a variable is for a node that runs. */
  variable({ id }: FlowNode, name: string): unknown {
    const node = this.running(id);
    return node ? this.RED.util.getSetting(node, name) : undefined;
  }

  channelOf(node: FlowNode): ChannelRef | undefined {
    return this.#chosen<ChannelNode>(node, "channel")?.channel;
  }

  /** The connection that a node uses: its own, or that of its channel or wallet. */
  connectionOf(node: FlowNode): Connection | undefined {
    const own = this.#chosen<ConnectionNode>(node, "connection")?.connection;
    const ref = this.channelOf(node) ?? this.#chosen<WalletNode>(node, "wallet")?.wallet;
    try {
      return own ?? ref?.connection();
    } catch {
      // It is missing or incomplete, which is an issue of its own.
      return undefined;
    }
  }

  /** The running node that a field names; undefined in a subflow whose instances decide it. */
  #chosen<T>(node: FlowNode, field: string): (Node & Partial<T>) | undefined {
    const id = this.textOf(node, field);
    return id ? this.running<T>(id) : undefined;
  }
}

/** Whether two base URLs are the same service. */
export function isSameService(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && serviceIdentity(one) === serviceIdentity(other);
}
