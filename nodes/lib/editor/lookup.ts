import type { Choice } from "../form-types.ts";
import type { Completion, CompletionSearch, EditedNode } from "./api.ts";
import { asYouType, TYPED } from "./as-you-type.ts";
import { hintUnder } from "./rows.ts";
import { isReference } from "./validate.ts";

/** What is remembered of an answer, so that typing does not ask the service at each key. */
const FRESH_MS = 5000;
const fresh = new Map<string, { at: number; choices: Promise<Choice[]> }>();
const DIGITS = /^\d+$/;
/** An address or an id: what a list of names does not have may be there all the same. */
const NO_NAME = /^0x|^[0-9a-f]{8}-[0-9a-f]{4}-/i;

/**
 * A search over what the service has, for a box that can also be typed into by hand.
 * `configNode` names the config node to ask; without one, or where nothing answers, the list is empty.
 */
export function lookUp(kind: string, configNode: () => string): CompletionSearch {
  return (text, done) => {
    choicesOf(kind, configNode()).then(
      (choices) => done(completionsOf(kind, choices, text.trim())),
      () => done([]),
    );
  };
}

/**
 * Says under a box what the text in it stands for: the name of a network, the status of a channel. `missing` is a key
 * of the catalog, for a text that the service knows nothing of; where nobody can be asked, nothing is said.
 */
export function describeUnder(
  node: EditedNode,
  field: JQuery,
  kind: string,
  configNode: () => string,
  missing?: string,
): { now(): void } {
  const hint = hintUnder(field);
  const isTyped = () =>
    field.next(".red-ui-typedInput-container").length === 0 || field.typedInput("type") === "str";
  const typed = () => (isTyped() ? String(field.val() ?? "").trim() : "");
  const look = asYouType(
    field,
    () => (typed() === "" || isReference(typed()) ? undefined : choicesOf(kind, configNode())),
    (choices = []) => {
      const text = typed();
      const chosen = choices.find(({ value, detail }) => value === text || hasWord(detail, text));
      if (chosen) return hint.say(descriptionOf(chosen, text));
      hint.say(text !== "" && choices.length > 0 && missing && !NO_NAME.test(text) ? node._(missing) : "");
    },
  );
  field.on(TYPED, () => look.soon());
  look.now();
  return look;
}

function descriptionOf({ label, detail = "" }: Choice, typed: string): string {
  return [label, detail].filter((part) => part !== "" && part !== typed).join(" · ");
}

/** A wallet can be given by its address, which stands beside its status. */
function hasWord(detail: string | undefined, text: string): boolean {
  const words = (detail ?? "").toLowerCase().split(/[\s,]+/);
  return words.includes(text.toLowerCase());
}

function choicesOf(kind: string, id: string): Promise<Choice[]> {
  if (!id || id === "_ADD_") return Promise.resolve([]);
  const key = `${kind}/${encodeURIComponent(id)}`;
  for (const [old, { at }] of fresh) if (Date.now() - at > FRESH_MS) fresh.delete(old);
  const choices =
    fresh.get(key)?.choices ??
    new Promise<Choice[]>((resolve, reject) => {
      $.getJSON(`crec/lookup/${key}`).then(resolve, reject);
    });
  if (!fresh.has(key)) fresh.set(key, { at: Date.now(), choices });
  return choices;
}

/** The tab key takes the first line: so that is what was typed, where it can be meant as it is. */
function completionsOf(kind: string, choices: readonly Choice[], text: string): Completion[] {
  const wanted = text.toLowerCase();
  const found = choices.filter((choice) => matches(choice, wanted));
  const exact = found.filter(({ value }) => value === text);
  const others = found.filter(({ value }) => value !== text);
  const asTyped = text !== "" && (kind !== "networks" || DIGITS.test(text)) && exact.length === 0;
  if (others.length === 0 && exact.length === 0) return [];
  const typed = asTyped ? [{ value: text, label: text, detail: "" }] : exact;
  return [...typed, ...others].map(completion);
}

function matches({ label, value, detail }: Choice, wanted: string): boolean {
  return [label, value, detail ?? ""].some((part) => part.toLowerCase().includes(wanted));
}

/** Built from text nodes: what the service calls a thing must not become HTML here. */
function completion({ value, label, detail }: Choice): Completion {
  const line = $("<div>").css({ display: "flex", "justify-content": "space-between", gap: "1em" });
  $("<span>").text(label).appendTo(line);
  $("<span>")
    .css("opacity", "0.7")
    .text(detail ?? value)
    .appendTo(line);
  return { value, label: line };
}
