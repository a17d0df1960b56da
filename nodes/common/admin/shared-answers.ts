import { createHash } from "node:crypto";
import type { NodeAPI } from "node-red";
import { isForReadOnlyUser, requireAllAsked } from "../status/read-limit.ts";

type Shared<T> = {
  answer: Promise<T>;
  /** It may be refused, or wait behind polls: nobody else joins it before it has succeeded. */
  isOfReadOnlyUser: boolean;
  hasSucceeded?: true;
};

/** Who asks the same soon after gets the same. */
const KEPT_MS = 5_000;

/**
 * Answers of the service that all users share: who asks what is being asked joins, and an answer is kept for five
 * seconds, or until the next deploy. What failed is not kept: a person who corrects the cause asks again at once.
 *
 * @param isWhole false for an answer that tells of a failure
 */
export function sharedAnswers<T>(
  { events }: Pick<NodeAPI, "events">,
  isWhole: (answer: T) => boolean = () => true,
): (question: string, work: () => Promise<T>) => Promise<T> {
  const all = new Map<string, Shared<T>>();
  events.on("flows:started", () => all.clear());
  return (question, work) => {
    // A question may be as long as Node-RED accepts.
    const key = createHash("sha256").update(question).digest("base64");
    const known = all.get(key);
    if (known && (known.hasSucceeded || !known.isOfReadOnlyUser || isForReadOnlyUser())) return known.answer;
    const mine: Shared<T> = { answer: wholly(work), isOfReadOnlyUser: isForReadOnlyUser() };
    const forget = () => {
      if (all.get(key) === mine) all.delete(key);
    };
    all.set(key, mine);
    mine.answer.then((answer) => {
      if (!isWhole(answer)) return forget();
      mine.hasSucceeded = true;
      setTimeout(forget, KEPT_MS).unref();
    }, forget);
    return mine.answer;
  };
}

/** @throws READ_LIMIT rather than an answer that lacks what was not asked */
async function wholly<T>(work: () => Promise<T>): Promise<T> {
  const answer = await work();
  requireAllAsked();
  return answer;
}
