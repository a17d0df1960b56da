import {
  EVENT_TYPES,
  OPERATION_STATUSES,
  QUERY_STATUSES,
  SEARCH_FILTERS,
  WALLET_STATUSES,
  WATCHER_STATUSES,
} from "../../src/protocol/index.ts";
import type { EditedNode, PropertyDef, TypedInputType, Validator } from "../lib/editor/api.ts";
import { completeLast } from "../lib/editor/comma-list.ts";
import { hintUnder, type Line, problemUnder } from "../lib/editor/form-rows.ts";
import { describeUnder, lookUp } from "../lib/editor/lookup.ts";
import { forms } from "../lib/editor/register.ts";
import { searchedField, TEXT_TYPES, typedField } from "../lib/editor/typed-inputs.ts";
import { isReference, matching } from "../lib/editor/validate.ts";
import { isTime } from "../lib/shared/times.ts";
import { FILTER_FIELDS, type FilterProperty, firstUnfit } from "./filter-fields.ts";

const STATUSES: Readonly<Record<string, readonly string[]>> = {
  "operation.status": OPERATION_STATUSES,
  "query.status": QUERY_STATUSES,
  "watcher.status": WATCHER_STATUSES,
  "wallet.status": WALLET_STATUSES,
};
const WHOLE_NUMBER = /^[1-9]\d*$/;

/** A filter that does not apply to a type that is ticked is refused by the service, so it is refused here. */
function fitting(property: FilterProperty): Validator {
  return function (value, _options) {
    const type = String(value ?? "").trim() === "" ? undefined : unfitType(property, this.types);
    return type === undefined || this._("search-events.error.unfit", { type });
  };
}

function unfitType(property: FilterProperty, types: unknown): string | undefined {
  const field = FILTER_FIELDS.find((one) => one.property === property);
  return field && firstUnfit(field.filter, Array.isArray(types) ? types : [], SEARCH_FILTERS);
}

/** A time that is typed in; what comes from elsewhere is judged when it is used. */
function typedTime(kind: "fromType" | "toType"): Validator {
  return function (value, _options) {
    const text = this[kind] && this[kind] !== "str" ? "" : String(value ?? "").trim();
    return text === "" || isReference(text) || isTime(text) || this._("search-events.error.time");
  };
}

function filterProperty(property: FilterProperty): PropertyDef {
  return { value: "", validate: fitting(property) };
}

forms.registerType("crec-search-events", {
  category: "CRE Connect",
  color: "#6c8fd8",
  icon: "search-events.svg",
  inputs: 1,
  outputs: 1,
  defaults: {
    name: { value: "" },
    channel: { value: "", type: "crec-channel", required: true },
    contract: { value: "", type: "crec-contract", required: false },
    types: { value: [] },
    from: { value: "", validate: typedTime("fromType") },
    fromType: { value: "str" },
    to: { value: "", validate: typedTime("toType") },
    toType: { value: "str" },
    statuses: filterProperty("statuses"),
    statusesType: { value: "str" },
    watcher: filterProperty("watcher"),
    watcherType: { value: "str" },
    contractEvent: filterProperty("contractEvent"),
    contractEventType: { value: "str" },
    address: filterProperty("address"),
    addressType: { value: "str" },
    service: filterProperty("service"),
    serviceType: { value: "str" },
    operation: filterProperty("operation"),
    operationType: { value: "str" },
    walletOperation: filterProperty("walletOperation"),
    walletOperationType: { value: "str" },
    query: filterProperty("query"),
    queryType: { value: "str" },
    wallet: filterProperty("wallet"),
    walletType: { value: "str" },
    network: filterProperty("network"),
    networkType: { value: "str" },
    environment: { value: "" },
    verify: { value: true },
    limit: { value: "1000", validate: matching(WHOLE_NUMBER, "search-events.error.limit") },
  },
  paletteLabel() {
    return this._("search-events.palette");
  },
  label() {
    return this.name || this._("search-events.palette");
  },
  labelStyle() {
    return this.name ? "node_label_italic" : "";
  },
  oneditprepare() {
    const channel = () => String($("#node-input-channel").val() ?? "");
    const connection = () => String(RED.nodes.node(channel())?.connection ?? "");
    const contract = () => String($("#node-input-contract").val() ?? "");
    const label = (property: string) => this._(`search-events.label.${property}`);
    for (const name of ["from", "to", "address", "service", "walletOperation"]) typedField(name);
    const searched = (name: string, kind: string, configNode: () => string) =>
      describeUnder(this, searchedField(name, label(name), lookUp(kind, configNode)), kind, configNode);
    const described = [
      searched("watcher", "watcher-ids", channel),
      searched("contractEvent", "contract-events", contract),
      searched("operation", "operations", channel),
      searched("query", "queries", channel),
      searched("wallet", "wallets", connection),
    ];
    searchedField("network", label("network"), completeLast(lookUp("networks", connection)));
    described.push(describeUnder(this, $("#node-input-network"), "networks", connection));
    $("#node-input-channel, #node-input-contract").on("change", () => {
      for (const one of described) one.now();
    });
    typedField("statuses", statusTypes(this, Array.isArray(this.types) ? this.types : []));
    for (const name of ["contract", "from", "to", "verify", "limit"]) {
      hintUnder($(`#node-input-${name}`)).say(this._(`search-events.hint.${name}`));
    }
    showFitting(this);
  },
  oneditsave() {
    this.types = tickedTypes();
  },
});

/** Shows the fields that apply to the types ticked, and those that are filled in and do not, with what to do. */
function showFitting(node: EditedNode): void {
  const problems = new Map<FilterProperty, Line>();
  for (const { property } of FILTER_FIELDS) problems.set(property, problemUnder(input(property)));
  const show = (): void => {
    const types = tickedTypes();
    for (const { property } of FILTER_FIELDS) {
      const field = input(property);
      const isFilled = String(field.typedInput("value") ?? "").trim() !== "";
      const type = unfitType(property, types);
      field.closest(".form-row").toggle(type === undefined || isFilled);
      const isWrong = type !== undefined && isFilled;
      problems.get(property)?.say(isWrong ? node._("search-events.error.unfit", { type }) : "");
    }
  };
  const stored = Array.isArray(node.types) ? (node.types as string[]) : [];
  for (const type of EVENT_TYPES) {
    box(type)
      .prop("checked", stored.includes(type))
      .on("change", () => {
        input("statuses").typedInput("types", statusTypes(node, tickedTypes()));
        show();
      });
  }
  for (const { property } of FILTER_FIELDS) input(property).on("change", show);
  show();
}

/** Statuses to tick: of the types that are searched, and those that are ticked already. */
function statusTypes(node: EditedNode, types: readonly string[]): Array<string | TypedInputType> {
  const searched = types.length > 0 ? types : Object.keys(STATUSES);
  const ticked = String(input("statuses").val() ?? "").split(",");
  const statuses = new Set([
    ...searched.flatMap((type) => STATUSES[type] ?? []),
    ...ticked.map((one) => one.trim()),
  ]);
  statuses.delete("");
  const options = [...statuses].map((status) => ({ value: status, label: status }));
  const label = node._("search-events.label.statuses");
  const icon = "red/images/typedInput/az.svg";
  return [{ value: "str", label, icon, multiple: true, options }, ...TEXT_TYPES.slice(1)];
}

function tickedTypes(): string[] {
  return EVENT_TYPES.filter((type) => box(type).is(":checked"));
}

function box(type: string): JQuery {
  return $(`#crec-search-events-${type.replace(".", "-")}`);
}

function input(property: string): JQuery {
  return $(`#node-input-${property}`);
}
