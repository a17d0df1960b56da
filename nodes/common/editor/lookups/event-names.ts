import { eventText } from "../../../../src/protocol/abi-names.ts";
import type { Choices, EventChoice } from "../../shared/form-types.ts";
import { bareName, splitNames } from "../../shared/text.ts";
import { isChosen, isReference } from "../../shared/variables.ts";
import type { CompletionSearch, EditedNode } from "../api.ts";
import { hintUnder, inputOf } from "../form-rows.ts";
import { liveCheck, TYPED } from "../while-open.ts";
import { offeredBy } from "./abi.ts";
import { completeLast, listed } from "./lookup.ts";

type EventNamesOptions = {
  /** The field for the names. */
  name: string;
  /** The types of the typed input other than typed text. */
  types: readonly string[];
  /** Whether it takes one name, or several with commas between. */
  isList: boolean;
  /** The ids of the channels whose watchers are asked. */
  channels: () => string[];
  /** The id of a contract whose events are offered, too. */
  contract: () => string;
  /** What the two depend on. */
  depends: JQuery;
};

/**
 * Offers the names of events that watchers and the chosen contract have, and says which of the typed names no watcher
 * has. That is no refusal: the watcher may be created later.
 */
export function offerEventNames(node: EditedNode, options: EventNamesOptions): void {
  const { name, types, isList, channels, contract, depends } = options;
  const field = inputOf(name);
  const search: CompletionSearch = (text, done) => {
    void Promise.all([watched(channels()), offeredBy<EventChoice>(node, "events", contract())])
      .then(([ofWatchers, { found = [] }]) => {
        const details = new Map<string, string>();
        for (const { value, detail = "" } of ofWatchers?.choices ?? []) details.set(value, detail);
        for (const event of found) if (!details.has(event.name)) details.set(event.name, event.signature);
        done(completions([...details], text.trim()));
      })
      .catch(() => done([]));
  };
  const label = node._("common.label.typed");
  const icon = "red/images/typedInput/az.svg";
  const autoComplete = isList ? completeLast(search) : search;
  field.typedInput("types", [{ value: "str", label, icon, autoComplete }, ...types]);

  const hint = hintUnder(field);
  const typed = () =>
    field.typedInput("type") === "str" ? splitNames(String(field.typedInput("value") ?? "")) : [];
  const look = liveCheck(
    field,
    () => (typed().length > 0 ? watched(channels()) : undefined),
    (answer) => hint.say(answer ? warning(node, typed(), answer) : ""),
  );
  field.on(TYPED, () => look.soon());
  depends.on("change", () => look.now());
  look.now();
}

/** Undefined unless all the watchers of these channels are known: a name may be one of another watcher. */
async function watched(channels: readonly string[]): Promise<Choices | undefined> {
  const ids = channels.filter(isChosen);
  const answers = await Promise.all(ids.map((id) => listed("watcher-events", id)));
  const choices = answers.flatMap((answer) => (answer.problem === undefined ? answer.choices : []));
  const isWhole = answers.every(
    (answer) => answer.problem === undefined && !answer.cut && !answer.undeployed,
  );
  return ids.length === 0 ? undefined : { choices, ...(isWhole ? {} : { cut: true }) };
}

function warning(node: EditedNode, typed: readonly string[], { choices, cut }: Choices): string {
  const names = new Set(choices.map(({ value }) => bareName(value)));
  const unknown = typed.find((one) => !names.has(bareName(one)) && !isReference(one));
  if (unknown === undefined || cut) return "";
  return names.size === 0
    ? node._("common.hint.no-watchers", { name: unknown })
    : node._("common.hint.unwatched", { name: unknown, names: [...names].join(", ") });
}

function completions(details: ReadonlyArray<[string, string]>, text: string) {
  const lowerCase = text.toLowerCase();
  const found = details.filter(([value]) => value.toLowerCase().includes(lowerCase));
  // Nothing is left to complete.
  if (found.length === 1 && found[0]?.[0] === text) return [];
  return found.map(([value, detail]) => {
    const line = $("<div>").css({ display: "flex", "justify-content": "space-between", gap: "1em" });
    $("<span>").text(value).appendTo(line);
    $("<span>").css("opacity", "0.7").text(detail).appendTo(line);
    return { value, label: line };
  });
}

/** What selects an event, alone or with others. */
export function eventNamesOf(event: EventChoice): string[] {
  return [event.name, event.signature, eventText(event)];
}

/** The shortest of these that selects no other event. */
export function eventLabel(event: EventChoice, all: readonly EventChoice[]): string {
  const sameName = all.filter(({ name }) => name === event.name);
  if (sameName.length <= 1) return event.name;
  const alike = sameName.filter(({ signature }) => signature === event.signature);
  return alike.length <= 1 ? event.signature : eventText(event);
}
