import type { EventChoice } from "../../shared/form-types.ts";
import type { ConditionDef } from "../../shared/stored-values.ts";
import type { EditedNode } from "../api.ts";
import { itemButtons } from "../buttons.ts";
import { offeredBy } from "../lookups/abi.ts";
import { isNew } from "../lookups/only-choice.ts";
import { onContractChange, trackOpen } from "../while-open.ts";
import { type FieldGroup, fieldGroups } from "./fields.ts";
import { conditionsIn } from "./problem.ts";
import { type ConditionRow, conditionRow, type RowContext } from "./row.ts";

/** The conditions of a form: a list whose rows can be added, removed and reordered. */
export type ConditionRows = {
  read(): ConditionDef[];
  /** Each as a part of a sentence. */
  texts(): string[];
  /** What the chosen contract offers, for other fields of the form. */
  groups(): readonly FieldGroup[];
  /** Calls back when a condition or what is offered may have changed. */
  onChange(listener: () => void): void;
};

export type ConditionRowsOptions = {
  /** The select with the contract. */
  contract: JQuery;
  stored: unknown;
  /** A new node opens with a first row. */
  startsWithOne?: true;
  /** What it means that there is none. @default every event matches */
  none?: string;
};

type Listed = { stored?: ConditionDef; row?: ConditionRow; number?: (index: number, count: number) => void };

export function conditionRows(
  node: EditedNode,
  container: JQuery,
  { contract, stored, startsWithOne, none: saysNone }: ConditionRowsOptions,
): ConditionRows {
  const text = (key: string) => node._(`common.condition.${key}`);
  const list = $("<ol>").appendTo(container.addClass("crec-conditions"));
  const none = $('<div class="crec-hint">')
    .text(saysNone ?? text("hint.none"))
    .appendTo(container);
  const listeners: Array<() => void> = [];
  let groups: readonly FieldGroup[] = fieldGroups(node, []);

  const items = (): JQuery[] =>
    list
      .editableList("items")
      .toArray()
      .map((element) => $(element));
  const rows = (): ConditionRow[] => items().flatMap((item) => (item.data("data") as Listed).row ?? []);
  const read = (): ConditionDef[] => rows().map((row) => row.read());
  const chosen = () => RED.nodes.node(String(contract.val() ?? ""));
  const changed = (): void => {
    for (const row of rows()) row.explain();
    for (const listener of listeners) listener();
  };
  const context: RowContext = {
    groups: () => groups,
    taken: (row) => {
      const all = rows();
      const before = row ? all.slice(0, all.indexOf(row)) : all;
      return before.flatMap((one) => {
        const condition = one.read();
        return condition.kind === "field" ? condition.field : [];
      });
    },
    event: () => onlyEvent(read()),
    decimals: () => String(chosen()?.decimals ?? "").trim(),
    network: () => String(chosen()?.chainSelector ?? ""),
    changed,
  };
  const renumber = (): void => {
    const all = items();
    for (const [index, item] of all.entries()) (item.data("data") as Listed).number?.(index, all.length);
    none.toggle(all.length === 0);
    changed();
    // A new order changes the form's values.
    list.trigger("change");
  };
  list.editableList({
    addItem: (element, _index, item) => {
      showItem(node, list, element, item as Listed, context, renumber);
      renumber();
    },
    addButton: text("add"),
    ariaLabel: text("list"),
    removeItem: renumber,
    scrollOnAdd: false,
    height: "auto",
  });
  for (const condition of conditionsIn(stored)) list.editableList("addItem", { stored: condition });
  if (startsWithOne && items().length === 0 && isNew(node)) list.editableList("addItem", {});
  renumber();

  let newest = 0;
  const isOpen = trackOpen(container);
  const refresh = async (): Promise<void> => {
    newest += 1;
    const request = newest;
    const { found = [] } = await offeredBy<EventChoice>(node, "events", String(contract.val() ?? ""));
    // The contract was changed, or the form closed, while this was loading.
    if (request !== newest || !isOpen()) return;
    groups = fieldGroups(node, found);
    for (const row of rows()) row.refresh();
    changed();
  };
  contract.on("change", refresh);
  onContractChange(container, ({ id }) => {
    if (id === contract.val()) void refresh();
  });
  void refresh();
  return {
    read,
    texts: () => rows().map((row) => row.text()),
    groups: () => groups,
    onChange: (listener) => void listeners.push(listener),
  };
}

/** The event that conditions let through, where one of them names one. */
function onlyEvent(conditions: readonly ConditionDef[]): string | undefined {
  const named = conditions.find(
    (one) => one.kind === "field" && one.field === "name" && one.is === "equals" && !one.not,
  );
  const isTyped = named?.kind === "field" && (named.type ?? "str") === "str";
  return isTyped && named.value ? named.value : undefined;
}

/** The row, and the buttons that move and remove it. */
function showItem(
  node: EditedNode,
  list: JQuery,
  container: JQuery,
  item: Listed,
  context: RowContext,
  renumber: () => void,
): void {
  const head = $('<div class="crec-condition-head">').appendTo(container);
  const body = $('<div class="crec-condition-body">').appendTo(container);
  const row = conditionRow(node, { head, body }, item.stored, context);
  item.row = row;
  const buttons = itemButtons({ list, head, item, renumber, focused: "select" });
  item.number = (index, count) => {
    buttons.place(index, count, (button) =>
      node._(`common.condition.label.${button}`, { number: index + 1 }),
    );
    row.name(index + 1);
  };
}
