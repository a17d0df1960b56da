import { eventText } from "../../../src/protocol/abi-names.ts";
import type { Extension } from "../../../src/protocol/index.ts";
import type { CompletionSearch, EditedNode } from "../../common/editor/api.ts";
import { partOf } from "../../common/editor/form-fields.ts";
import { hintUnder, inputOf, problemUnder, visibleBox } from "../../common/editor/form-rows.ts";
import { type Offered, offeredBy } from "../../common/editor/lookups/abi.ts";
import { eventLabel, eventNamesOf } from "../../common/editor/lookups/event-names.ts";
import { onContractChange, TYPED, trackOpen } from "../../common/editor/while-open.ts";
import { TEXT_TYPES } from "../../common/shared/common-fields.ts";
import type { EventChoice } from "../../common/shared/form-types.ts";
import { splitNames } from "../../common/shared/text.ts";
import { isReference } from "../../common/shared/variables.ts";
import { NODE } from "../fields.ts";

/** Where the events come from. Undefined: a watcher service whose events are not known. */
export type EventSource = "contract" | Extension | undefined;

/** An event to tick. What it means is known of extensions only. */
type Offer = EventChoice & { meaning?: string; emitters?: readonly string[] };

/**
 * The box for the names of events completes them from the contract's ABI or those of the extension, and below it each
 * event has a box to tick.
 */
export function eventsField(
  node: EditedNode,
  contract: JQuery,
  sourceOf: () => EventSource,
): { update(): void } {
  let offered: Offer[] = [];
  let isKnown = false;
  const field = inputOf("events");
  field.typedInput("types", [
    {
      value: "str",
      label: node._("create-watcher.label.event-names"),
      icon: "red/images/typedInput/az.svg",
      autoComplete: searchIn(() => offered.map((event) => eventLabel(event, offered))),
    },
    ...TEXT_TYPES.slice(1),
  ]);
  const problem = problemUnder(field);
  const hint = hintUnder(field);
  const list = partOf(NODE, "offered")
    .attr("aria-label", node._("create-watcher.label.offered"))
    .css({ margin: "-8px 0 12px 105px", "overflow-y": "auto" });

  const showProblem = (unreadable = ""): void => {
    const known = new Set(offered.flatMap(eventNamesOf));
    const typed = isKnown && field.typedInput("type") === "str" ? splitNames(field.typedInput("value")) : [];
    const unknown = typed.find((name) => !known.has(name) && !isReference(name));
    const kind = sourceOf() === "contract" ? "no-event" : "no-extension-event";
    const missing = unknown ? node._(`create-watcher.error.${kind}`, { name: unknown }) : "";
    const alike = typed.find((name) => isSeveral(name, offered));
    const several = alike ? node._("create-watcher.error.several", { name: alike }) : "";
    problem.say(unreadable || missing || several);
  };
  const tick = (): void => {
    const names = splitNames(field.typedInput("value"));
    list.find("input").each((index, element) => {
      const event = offered[index];
      $(element).prop("checked", event !== undefined && isAmong(event, names));
    });
    const isTyped = field.typedInput("type") === "str";
    list.toggle(offered.length > 0 && isTyped);
    showProblem();
    hint.say(isTyped ? explanation(node, names, offered) : "");
  };
  const showList = (): void => {
    // Sentences need more room than signatures.
    list.empty().css("max-height", offered.some(({ meaning }) => meaning !== undefined) ? "220px" : "130px");
    for (const event of offered) list.append(tickBox(node, event, eventLabel(event, offered), field));
    tick();
  };
  let newest = 0;
  const isOpen = trackOpen(list);
  const update = async (): Promise<void> => {
    newest += 1;
    const request = newest;
    const chosen = String(contract.val() ?? "");
    const source = sourceOf();
    const answer =
      source === "contract"
        ? await offeredBy<EventChoice>(node, "events", chosen)
        : offeredByExtension(source);
    if (request !== newest || !isOpen()) return;
    const { found = [], problem: unreadable = "" } = answer;
    isKnown = answer.found !== undefined;
    offered = [...found];
    // Those of an extension have the order in which they happen.
    if (source === "contract") offered.sort((one, other) => one.signature.localeCompare(other.signature));
    showList();
    if (unreadable) showProblem(unreadable);
  };
  contract.on("change", update);
  onContractChange(list, ({ id }) => {
    if (id === contract.val()) update();
  });
  field.on(TYPED, tick);
  update();
  return { update };
}

/** A box that adds the event to the names in the field, or removes it. */
function tickBox(node: EditedNode, event: Offer, name: string, field: JQuery): JQuery {
  const ticked = $('<input type="checkbox">').css({ width: "auto", margin: "0 6px 0 0" });
  ticked.on("change", () => {
    const others = splitNames(field.typedInput("value")).filter((one) => !eventNamesOf(event).includes(one));
    const names = ticked.prop("checked") ? [...others, name] : others;
    field.typedInput("value", names.join(", "));
    visibleBox(field).trigger("change");
  });
  // Node-RED makes the labels of a form as narrow as its first column.
  return $("<label>")
    .css({ display: "block", width: "auto", margin: "0 0 2px", "overflow-wrap": "anywhere" })
    .css({ "padding-left": "19px", "text-indent": "-19px" })
    .attr("title", event.meaning === undefined ? "" : eventText(event))
    .append(ticked, document.createTextNode(describe(node, event)));
}

/** What a person should know about the ticked events: tuples, or which contracts emit them. */
function explanation(node: EditedNode, names: readonly string[], offered: readonly Offer[]): string {
  const ticked = offered.filter((event) => isAmong(event, names));
  const withTuples = ticked.filter(({ hasTuples }) => hasTuples);
  const events = withTuples.map((event) => eventLabel(event, offered)).join(", ");
  if (events) return node._("create-watcher.hint.tuples", { events });
  const contracts = contractsOf(ticked);
  if (contracts.length > 1)
    return node._("create-watcher.hint.contracts", { contracts: contracts.join(", ") });
  return contracts[0] ? node._("create-watcher.hint.emitter", { contract: contracts[0] }) : "";
}

function isAmong(event: EventChoice, names: readonly string[]): boolean {
  return eventNamesOf(event).some((name) => names.includes(name));
}

/** Whether a name stands for events of one signature: a watcher has one of them. */
function isSeveral(name: string, all: readonly EventChoice[]): boolean {
  const signatures = all
    .filter((event) => eventNamesOf(event).includes(name))
    .map(({ signature }) => signature);
  return new Set(signatures).size < signatures.length;
}

/** The catalog has the meaning of each event of the extensions, in the words of the library. */
function describe(node: EditedNode, event: Offer): string {
  if (event.meaning === undefined) return eventText(event);
  return `${event.name}: ${node._(`create-watcher.event.${event.name}`)}`;
}

function offeredByExtension(extension: Extension | undefined): Offered<Offer> {
  if (extension === undefined) return {};
  const found = extension.events.map(({ name, inputs, meaning, emitters }) => {
    const parameters = inputs.split(", ").map((input) => {
      const [type = "", ...rest] = input.split(" ");
      return { type, name: rest.at(-1) ?? "" };
    });
    return { name, signature: name, inputs: parameters, meaning, emitters };
  });
  return { found };
}

/** The contracts that emit these events: one where all come from the same. */
function contractsOf(events: readonly Offer[]): string[] {
  const all = events.flatMap(({ emitters = [] }) => emitters);
  const common = all.find((contract) => events.every(({ emitters = [] }) => emitters.includes(contract)));
  return common === undefined ? [...new Set(all)] : [common];
}

/** Completes the last name of the list. */
function searchIn(names: () => readonly string[]): CompletionSearch {
  return (text, done) => {
    const listed = splitNames(text);
    const last = /,\s*$/.test(text) || listed.length === 0 ? "" : (listed.pop() ?? "");
    const found = names().filter(
      (name) => !listed.includes(name) && name.toLowerCase().includes(last.toLowerCase()),
    );
    // Nothing is left to complete.
    if (found.length === 1 && found[0] === last) return done([]);
    done(found.map((name) => ({ value: [...listed, name].join(", "), label: name })));
  };
}
