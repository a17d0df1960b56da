import type { Choice } from "../form-types.ts";
import type { Completion, CompletionSearch } from "./api.ts";

/** What is remembered of an answer, so that typing does not ask the service at each key. */
const FRESH_MS = 5000;

/**
 * A search over what the service has, for a box that can also be typed into by hand.
 * `configNode` names the config node to ask; without one, or where nothing answers, the list is empty.
 */
export function lookUp(kind: string, configNode: () => string): CompletionSearch {
  let cached: { id: string; at: number; choices: Promise<Choice[]> } | undefined;
  const fetchChoices = (id: string): Promise<Choice[]> => {
    if (!cached || cached.id !== id || Date.now() - cached.at > FRESH_MS) {
      cached = { id, at: Date.now(), choices: request(kind, id) };
    }
    return cached.choices;
  };
  return (text, done) => {
    const id = configNode();
    if (!id || id === "_ADD_") return done([]);
    const wanted = text.trim().toLowerCase();
    fetchChoices(id).then(
      (choices) => done(choices.filter((choice) => matches(choice, wanted)).map(completion)),
      () => done([]),
    );
  };
}

function request(kind: string, id: string): Promise<Choice[]> {
  return new Promise((resolve, reject) => {
    $.getJSON(`crec/lookup/${kind}/${encodeURIComponent(id)}`).then(resolve, reject);
  });
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
