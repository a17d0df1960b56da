import { TEXT_TYPES } from "../shared/common-fields.ts";
import { conditionsOf, isOn, isShown, shortName } from "../shared/field-rules.ts";
import type { Field, Lookup, NodeDescription } from "../shared/fields.ts";
import type { CompletionSearch, EditedNode } from "./api.ts";
import { hintUnder, inputOf, visibleBox } from "./form-rows.ts";
import { completeLast, describeUnder, listOnClick, lookUp, preselectOnly } from "./lookups/lookup.ts";
import { chooseInForm } from "./lookups/only-choice.ts";
import { followSections } from "./sections.ts";
import type { FormCheck } from "./values/field-validators.ts";
import { prepareTypedArea, saveTypedArea, typedField } from "./values/typed-inputs.ts";
import { atPresent } from "./values/validate.ts";
import { showVariables } from "./values/variables.ts";

/**
 * Prepares the fields of an opened form: typed inputs, look-ups, explanations. Returns the function that shows and hides
 * fields by their conditions. Call it after the form has built its own parts.
 */
export function prepareFields(
  edited: EditedNode,
  node: NodeDescription,
  checks?: Readonly<Record<string, FormCheck>>,
): () => void {
  chooseInForm(node, edited, inputOf);
  for (const [name, field] of Object.entries(node.fields)) {
    if (field.kind === "typed" && field.lines) prepareTypedArea(edited, name, sourceOf(node, name), field);
    else if (field.kind === "typed") prepareTyped(edited, name, field);
    if (field.kind === "text" && field.lookup) {
      const search = lookUp(field.lookup.list, asked(field.lookup));
      inputOf(name).autoComplete({ minLength: 0, search });
      listOnClick(inputOf(name));
      describe(edited, name, field.lookup);
    }
    if (field.kind === "select") prepareSelect(edited, node, name, field);
    if (field.kind === "list")
      ticksOf(node, name, field, (tick, option) =>
        tick.prop("checked", stored(edited, name).includes(option)),
      );
    // Without a stored value Node-RED leaves the box unticked.
    if (field.kind === "boolean")
      (field.numeric ? partOf(node, name) : inputOf(name)).prop("checked", isOn(field, edited[name]));
  }
  tieHints();
  showVariables(edited, node, inputOf);
  return () => {
    followConditions(edited, node);
    followSections(edited, node, { partOf: (name) => partOf(node, name), ...(checks && { checks }) });
  };
}

/** Stores the values that Node-RED cannot read from one input. */
export function saveFields(edited: EditedNode, node: NodeDescription): void {
  for (const [name, field] of Object.entries(node.fields)) {
    if (field.kind === "boolean" && field.numeric)
      inputOf(name).val(partOf(node, name).is(":checked") ? 1 : 0);
    if (field.kind === "typed" && field.lines) saveTypedArea(name, sourceOf(node, name));
    if (field.kind !== "list") continue;
    const ticked: string[] = [];
    ticksOf(node, name, field, (tick, option) => {
      if (tick.prop("checked")) ticked.push(option);
    });
    edited[name] = ticked;
  }
}

/** An element of the form: a custom part, a button, a section. */
export function partOf(node: NodeDescription, name: string): JQuery {
  return $(`#crec-${shortName(node.type)}-${name}`);
}

function sourceOf(node: NodeDescription, name: string): JQuery {
  return partOf(node, `${name}-source`);
}

type Of<Kind> = Extract<Field, { kind: Kind }>;

function prepareTyped(edited: EditedNode, name: string, field: Of<"typed">): void {
  const [first = "str", ...others] = field.types ?? TEXT_TYPES;
  // An import may leave it out; the node then works with the default. Empty text is not JSON.
  const isEmpty = edited[name] === undefined || (edited[name] === "" && first === "json");
  if (isEmpty) inputOf(name).val(field.default ?? "");
  if (first !== "str") return void typedField(name, [first, ...others]);
  const label = edited._("common.label.typed");
  const icon = "red/images/typedInput/az.svg";
  const search = field.lookup && searchOf(field, field.lookup);
  typedField(name, [{ value: "str", label, icon, ...(search && { autoComplete: search }) }, ...others]);
  if (!field.lookup) return;
  listOnClick(visibleBox(inputOf(name)));
  describe(edited, name, field.lookup);
}

function searchOf({ list }: Of<"typed">, lookup: Lookup): CompletionSearch {
  const search = lookUp(lookup.list, asked(lookup));
  return list ? completeLast(search) : search;
}

function describe(edited: EditedNode, name: string, lookup: Lookup): void {
  const described = describeUnder(edited, inputOf(name), lookup.list, asked(lookup), lookup.unknown);
  const only = lookup.preselect && preselectOnly(inputOf(name), lookup.list, asked(lookup));
  inputOf(askedField(lookup.by)).on("change", () => {
    described.now();
    only?.now();
  });
}

/** The id of the config node to ask. The question may come while another form lies on top, with a field of that name. */
function asked({ by }: Lookup): () => string {
  const input = inputOf(askedField(by));
  const chosen = () => String(input.val() ?? "");
  return by === "channel.connection" ? () => String(RED.nodes.node(chosen())?.connection ?? "") : chosen;
}

function askedField(by: Lookup["by"]): string {
  return by === "channel.connection" ? "channel" : by;
}

function prepareSelect(edited: EditedNode, node: NodeDescription, name: string, field: Of<"select">): void {
  const select = inputOf(name);
  const stored = String(edited[name] ?? "");
  if (!field.filledLater && !field.options.includes(stored)) {
    // The name of a variable, or what only the node can refuse: Done must not replace it.
    if (stored !== "") select.append($("<option>").val(stored).text(stored));
    select.val(stored || field.default);
  }
  if (!field.explained) return;
  const hint = hintUnder(select);
  const explain = (): void => {
    const option = String(select.val() ?? "");
    const isOffered = option !== "" && field.options.includes(option);
    hint.say(isOffered ? edited._(`${shortName(node.type)}.explained.${name}.${option}`) : "");
  };
  select.on("change", explain);
  explain();
}

function ticksOf(
  node: NodeDescription,
  name: string,
  { options }: Of<"list">,
  visit: (tick: JQuery, option: string) => void,
): void {
  for (const option of options)
    visit($(`#crec-${shortName(node.type)}-${name}-${option.replaceAll(".", "-")}`), option);
}

function stored(edited: EditedNode, name: string): string[] {
  return Array.isArray(edited[name]) ? (edited[name] as string[]) : [];
}

/** Shows each row while its condition holds, now and at every change of what the conditions name. */
function followConditions(edited: EditedNode, node: NodeDescription): void {
  const fields = Object.entries(node.fields);
  const other = (name: string) => atPresent(edited, name);
  const show = (): void => {
    for (const [name, field] of fields) {
      if (!("shown" in field) || !field.shown) continue;
      const shown = isShown(node, name, other);
      const row = $(`#crec-${shortName(node.type)}-${name}-row`);
      (row.length > 0 ? row : partOf(node, name)).toggle(shown);
    }
  };
  const named = new Set(
    fields.flatMap(([, field]) => conditionsOf(field).flatMap((condition) => Object.keys(condition))),
  );
  for (const name of named) inputOf(name).on("change", show);
  show();
}

/** Each hint of a form is read out with its field. */
function tieHints(): void {
  $(".crec-hint[data-field]").each((_index, element) => {
    const hint = $(element);
    const name = hint.attr("data-field") ?? "";
    hint.attr("id", `crec-hint-${name}`);
    const box = visibleBox(inputOf(name));
    box.attr("aria-describedby", `${box.attr("aria-describedby") ?? ""} crec-hint-${name}`.trim());
  });
}

/**
 * Reads what fields of the form that is open now show, trimmed. Also while another form lies on top of it, in which
 * there is no field of that name, or another one.
 */
export function fieldTexts<Name extends string>(names: readonly Name[]): (name: Name) => string {
  const inputs = new Map(names.map((name) => [name, inputOf(name)]));
  return (name) => String(inputs.get(name)?.val() ?? "").trim();
}

/** Values by the names of the fields. */
export function fillIn(values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) inputOf(name).val(value).trigger("change");
}
