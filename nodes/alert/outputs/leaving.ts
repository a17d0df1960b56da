import type { AlertOutcome } from "../../../src/index.ts";
import type { CrecMessage } from "../../common/messages/message.ts";
import { timeOfOutcome } from "../texts/message.ts";
import { oneLine } from "../texts/values.ts";

/** A message that has no event of its own. */
export type Separate = {
  /** The same each time it is sent. */
  id: string;
  outcome: AlertOutcome;
  message: CrecMessage;
  output: "alert" | "resolved";
};

/** What leaves the node for one message: the message itself, by one output, and further messages that it led to. */
export type Leaving = {
  own: {
    message: CrecMessage;
    output: "alert" | "passed";
    /** Of an alert that is not a test. `isOver`: the message says that it has ended. */
    alert?: { id: string; key: string; isOver: boolean };
    /** The alert left before, and was not acknowledged. */
    isRepeated?: boolean;
    why?: string;
    reasons?: readonly string[];
  };
  separate: Separate[];
  /** The same, behind the message itself. */
  after: Separate[];
};

const LONGEST_REASON = 200;
const MOST_REASONS = 5;

/** The same each time an outcome is sent, by each copy. */
export function separateId(outcome: AlertOutcome): string {
  const { id, reminder } = outcome.alert;
  const number = reminder === undefined ? "" : ` ${reminder}`;
  return `alert ${id} ${outcome.kind}${number} ${timeOfOutcome(outcome)}`;
}

/** The message goes on by the last output. */
export function passed(msg: CrecMessage, why: string, reasons: readonly string[] = []): Leaving {
  const undecided = reasons.slice(0, MOST_REASONS).map((reason) => oneLine(reason, LONGEST_REASON));
  const alert = { passed: why, ...(undecided.length > 0 ? { undecided } : {}) };
  const message = { ...msg, crec: { ...msg.crec, alert } };
  return { own: { message, output: "passed", why, reasons: undecided }, separate: [], after: [] };
}
