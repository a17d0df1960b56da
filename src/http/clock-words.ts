/** Clocks of two machines may differ by so much, and an answer takes time. */
const TOLERANCE_S = 60;

/**
 * What is wrong with the clock of this machine, by the time in the head of an answer that has just arrived; empty where it
 * agrees, or the answer has no time. A refusal may be about a time, such as a deadline that passed on its way.
 */
export function clockWords(date: string | undefined, now: number = Date.now()): string {
  const behindS = Math.round((Date.parse(date ?? "") - now) / 1000);
  if (!(Math.abs(behindS) > TOLERANCE_S)) return "";
  const how = behindS > 0 ? "behind" : "ahead of";
  return ` The clock of this machine is ${Math.abs(behindS)} s ${how} that of the service: check both.`;
}
