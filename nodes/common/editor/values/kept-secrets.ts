import type { SecretsReport } from "../../shared/form-types.ts";
import { isReference, markTyped, STORED_PASSWORD, withoutMark } from "../../shared/variables.ts";
import { fieldTexts } from "../form-fields.ts";
import { inputOf, problemUnder } from "../form-rows.ts";
import { getJson } from "../lookups/admin-requests.ts";

type KeptSecrets = {
  /** The fields of the secrets. The sentence stands under the first one that was emptied. */
  secrets: readonly [string, ...string[]];
  /** The fields that decide where the secrets are sent. */
  places: readonly string[];
  /** What asks for them again. */
  sentence: string;
};

/**
 * What is stored may only go to the servers it was typed for. When the form names others, edited here or from an import,
 * the form empties the boxes and asks for the secrets again. Returns what to call when Node-RED has reported that they
 * must be confirmed.
 */
export function keepSecrets({ secrets, places, sentence }: KeptSecrets): () => void {
  const fieldText = fieldTexts([...secrets, ...places]);
  const problems = new Map(secrets.map((name) => [name, problemUnder(inputOf(name))]));
  const boxes = new Map(secrets.map((name) => [name, inputOf(name)]));
  for (const box of boxes.values()) box.val(withoutMark(String(box.val() ?? "")));
  const before = places.map(fieldText);
  const stored = secrets.filter((name) => fieldText(name) === STORED_PASSWORD);
  let isLost = false;
  const update = (): void => {
    const isMoved = isLost || places.some((name, index) => fieldText(name) !== before[index]);
    for (const name of stored) {
      const box = boxes.get(name) ?? $();
      if (isMoved && box.val() === STORED_PASSWORD) box.val("");
      // The old servers were typed again: nothing has changed.
      else if (!isMoved && box.val() === "" && !box.is(":focus")) box.val(STORED_PASSWORD);
    }
    const missing = isMoved ? stored.find((name) => fieldText(name) === "") : undefined;
    for (const [name, problem] of problems) problem.say(name === missing ? sentence : "");
  };
  for (const name of [...secrets, ...places]) inputOf(name).on("input change", update);
  return () => {
    isLost = true;
    update();
  };
}

/** Asks whether what a deployed node has stored must be entered again. */
export function askForReport(path: string, onLost: () => void): void {
  getJson<SecretsReport>(path).then(
    (report) => {
      if (report.problem === undefined && report.needsConfirmation) onLost();
    },
    // Without an answer the form knows less. The nodes still report the problem.
    () => undefined,
  );
}

/** Marks what was typed in this form, so that it differs from what was not changed. */
export function markTypedSecrets(secrets: readonly string[]): void {
  for (const name of secrets) {
    const box = inputOf(name);
    const typed = String(box.val() ?? "").trim();
    if (typed === "" || typed === STORED_PASSWORD || isReference(typed)) continue;
    box.val(markTyped(typed, RED.nodes.id()));
  }
}
