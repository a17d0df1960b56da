import type { EditedNode } from "../api.ts";
import { hintUnder, inputOf } from "../form-rows.ts";

/** A number whose usual value depends on a choice, such as the timeout on the status that is waited for. */
export type DependentNumber = {
  name: string;
  choice: string;
  usual: number;
  /** For some options: another usual value, and why. */
  unusual: Readonly<Record<string, { value: number; why: string }>>;
};

/** Changes the number in the form along with the choice, unless a person has entered another one. */
export function followChoice(node: EditedNode, { name, choice, usual, unusual }: DependentNumber): void {
  const [select, number] = [inputOf(choice), inputOf(name)];
  const hint = hintUnder(number);
  const usualNow = (): string => String(unusual[String(select.val())]?.value ?? usual);
  let before = usualNow();
  const follow = (): void => {
    const now = usualNow();
    // Node-RED reports changes also where there is none, when a form opens: a stored number stays.
    if (now !== before && String(number.val()).trim() === before) number.val(now).trigger("change");
    before = now;
    const why = unusual[String(select.val())]?.why;
    hint.say(why ? node._(why) : "");
  };
  select.on("change", follow);
  follow();
}

/** Seconds; of a public network, where a final block takes up to 20 minutes and its report some more. */
const USUAL_WAIT = 300;
const UNTIL_SAFE = 900;
const UNTIL_FINAL = 1800;

/** How long to wait for a status of an operation. */
export const OPERATION_TIMEOUT: DependentNumber = {
  name: "timeout",
  choice: "waitFor",
  usual: USUAL_WAIT,
  unusual: {
    confirmed_safe: { value: UNTIL_SAFE, why: "common.hint.safe-takes" },
    confirmed: { value: UNTIL_FINAL, why: "common.hint.final-takes" },
  },
};
