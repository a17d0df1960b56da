import type { NodeRedContext } from "../../nodes/common/context.ts";
import type { Job, PastEvent } from "../shared/job.ts";
import type { CallAnswer, CallToAsk } from "../shared/messages.ts";
import type { OutcomeKind } from "../shared/report.ts";

/** What happened in a node. `node`: its id. */
export type Noted = { kind: OutcomeKind; node: string; text: string; message: unknown; why?: string };

/** What our nodes use of the process that a flow is rehearsed in. */
export type ChildHost = {
  job: Job;
  /** Notes an outcome. `msg` finds the event and the path that it belongs to. */
  note(outcome: Noted, msg?: object): void;
  /** Calls `take` for each event of a channel, when its time has come. Returns what ends it. */
  onEvent(channelId: string, take: (event: PastEvent) => void): () => void;
  /** The events published so far, of a channel. */
  past(channelId: string): readonly PastEvent[];
  /** Asks the parent for a call of today. The simulated time waits for the answer. */
  ask(call: CallToAsk): Promise<CallAnswer>;
  /** The message that is being sent now belongs to this event. */
  mark(msg: object, event: PastEvent): void;
  /** Work begins that the simulated time waits for, unless it waits for a time itself. Returns what ends it. */
  begin(): () => void;
};

/** What takes the place of nodes works with it. */
export type RehearsalContext = NodeRedContext & { readonly host: ChildHost };

/** Gives what a node answers to a message: its test replies in turn; the last one repeats. Undefined without replies. */
export function repliesOf({ replies }: Job, node: string): (msg: object) => Array<object | null> | undefined {
  // A node may be called `constructor`.
  const own = Object.hasOwn(replies, node) ? replies[node] : undefined;
  let given = 0;
  return (msg) => {
    const reply = own?.[Math.min(given, own.length - 1)];
    given += 1;
    return reply?.map((one) => one && { ...msg, ...structuredClone(one) });
  };
}
