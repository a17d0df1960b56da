import { JSON_TYPES, TEXT_TYPES } from "../../shared/common-fields.ts";
import type { Answer, Checked, ParameterChoice, ValueCheck } from "../../shared/form-types.ts";
import type { Value } from "../../shared/stored-values.ts";
import { isReference } from "../../shared/variables.ts";
import type { EditedNode, TypedInputType } from "../api.ts";
import { isKnownNumber } from "../calls/decimals.ts";
import { hintUnder, type Line, labelled, nameVisibleBox, problemUnder, visibleBox } from "../form-rows.ts";
import { ADDRESSES } from "../lookups/addresses.ts";
import { postJson } from "../lookups/admin-requests.ts";
import { describeUnder, listOnClick, lookUp } from "../lookups/lookup.ts";
import { liveCheck, TYPED } from "../while-open.ts";
import {
  isComposite,
  isCountable,
  isNow,
  isOfTime,
  NOW,
  nowType,
  STORED_NOW,
  typeHint,
} from "./type-hints.ts";

/** `note` is a line under the field for the form that contains it. */
export type ValueField = { row: JQuery; read(): Value; note: Line };

type ValueFieldOptions = {
  id: string;
  label: string;
  /** Its name in sentences, where that is not the label. */
  name?: string;
  parameter: ParameterChoice;
  stored: Value | undefined;
  /** Of the address that is called: see `decimalsAt`. */
  decimals?: string;
  /** What an empty field stands for. An example would look like a value. */
  placeholder?: string;
  /** May stay empty. */
  optional?: boolean;
  /** Bytes that are not given as text: call data. */
  hexOnly?: boolean;
  /** Of an address: a chain selector, whose contracts and wallets are offered. */
  network?: () => string;
  changed: () => void;
};

/** One labelled value of an ABI type, with an explanation, and checked while a person types. */
export function valueField(node: EditedNode, container: JQuery, options: ValueFieldOptions): ValueField {
  const {
    id,
    label,
    name = label,
    parameter,
    stored = {},
    decimals = "",
    optional = false,
    hexOnly = false,
    changed,
  } = options;
  const { type } = parameter;
  const input = labelled(node, container, id, label, $('<input type="text">'), false);
  input.attr("placeholder", options.placeholder ?? "");
  const counted = stored.unit === "token" || (isCountable(type) && decimals !== "");
  if (counted) input.css("width", "calc(70% - 180px)");
  const addresses = { label: node._("common.label.typed"), network: options.network };
  makeTyped(node, input, parameter, stored, addresses);
  if (type === "address") describeUnder(node, input, ADDRESSES, channel);
  const unit = counted ? unitSelect(node, input, name, decimals, options) : undefined;
  nameVisibleBox(input);
  const hint = hintUnder(input);
  const meaning = hintUnder(input);
  const note = hintUnder(input);
  const problem = problemUnder(input);

  const read = (): Value => ({
    ...(input.typedInput("type") === NOW
      ? STORED_NOW
      : { value: input.typedInput("value"), type: input.typedInput("type") }),
    ...(unit?.val() === "token" ? { unit: "token" as const } : {}),
  });
  const explain = (): void => hint.say(typeHint(node, parameter, read().unit, hexOnly));
  const check = liveCheck<Answer<Checked>>(
    input,
    () => {
      const question = questionOf(name, parameter, read(), decimals, optional);
      return question && postJson<Checked>("crec/abi/check", { ...question, hexOnly });
    },
    (answer) => {
      problem.say(answer?.problem ?? "");
      const isValid = answer && answer.problem === undefined;
      meaning.say(isValid ? inOtherUnit(node, answer, read()) || bytesMeaning(node, answer) : "");
    },
  );
  const edited = (): void => {
    explain();
    check.soon();
    changed();
  };
  // A typed input does not report text that is dropped or filled into its box by other means.
  input.add(visibleBox(input)).on(TYPED, edited);
  unit?.on("change", edited);
  explain();
  // An empty field is not reported until it is edited.
  if (read().value) check.now();
  return { row: input.closest(".form-row"), read, note };
}

/** Only typed text can be checked. Variables are checked at run time. */
function questionOf(
  name: string,
  parameter: ParameterChoice,
  { value = "", type: valueType = "str", unit }: Value,
  decimals: string,
  optional: boolean,
): ValueCheck | undefined {
  if (!["str", "json"].includes(valueType) || isReference(value.trim())) return undefined;
  if (value.trim() === "" && (optional || parameter.type === "string")) return undefined;
  if (decimals !== "" && !isKnownNumber(decimals) && unit) return undefined;
  const places = isKnownNumber(decimals) ? { decimals: Number(decimals) } : {};
  return { ...parameter, name, value, valueType, ...(unit ? { unit } : {}), ...places };
}

/** The amount in the unit that was not typed, as in `= 1.5 tokens`; empty where it has one unit only. */
export function inOtherUnit(
  node: EditedNode,
  { smallest = "", tokens = "" }: Checked,
  { unit }: Pick<Value, "unit">,
): string {
  if (smallest === "") return "";
  return unit === "token"
    ? node._("common.unit.is-smallest", { amount: smallest })
    : node._("common.unit.is-tokens", { amount: tokens, count: Number(tokens) });
}

/** The channel of the form, whose service is asked. */
function channel(): string {
  return String($("#node-input-channel").val() ?? "");
}

/** Integers and addresses are text, lists and tuples are JSON, booleans are a choice. */
function makeTyped(
  node: EditedNode,
  input: JQuery,
  parameter: ParameterChoice,
  stored: Value,
  addresses: Addresses,
): void {
  const { type } = parameter;
  const [types, empty] = isComposite(type)
    ? [JSON_TYPES, ""]
    : type === "bool" && stored.type !== "str"
      ? [["bool", ...TEXT_TYPES.slice(1)], "false"]
      : [TEXT_TYPES, ""];
  const offered = type === "address" ? addressTypes(types, addresses) : [...types];
  const isTime = isOfTime(parameter);
  if (isTime) offered.push(nowType(node));
  input.typedInput({ default: types[0] ?? "str", types: offered });
  if (isTime && isNow(stored)) return void input.typedInput("type", NOW);
  if (stored.type) input.typedInput("type", stored.type);
  input.typedInput("value", stored.value ?? empty);
  if (type === "address") listOnClick(visibleBox(input));
}

type Addresses = { label: string; network: (() => string) | undefined };

function addressTypes(
  types: readonly string[],
  { label, network }: Addresses,
): Array<string | TypedInputType> {
  const icon = "red/images/typedInput/az.svg";
  return [
    { value: "str", label, icon, autoComplete: lookUp(ADDRESSES, channel, network) },
    ...types.slice(1),
  ];
}

function unitSelect(
  node: EditedNode,
  input: JQuery,
  name: string,
  decimals: string,
  { stored, parameter }: ValueFieldOptions,
): JQuery {
  const inTokens = stored ? stored.unit === "token" : parameter.isAmount === true;
  const tokens = isKnownNumber(decimals)
    ? node._("common.unit.tokens", { decimals })
    : node._("common.unit.tokens-unknown");
  const select = $("<select>")
    .css({ width: "170px", "margin-left": "10px" })
    .attr("aria-label", node._("common.unit.of", { name }))
    .append($("<option>").val("").text(node._("common.unit.smallest")))
    .append($("<option>").val("token").text(tokens))
    .val(inTokens ? "token" : "");
  return select.insertAfter(input.next(".red-ui-typedInput-container"));
}

/** Characters of hex that fit beside the words. */
const LONGEST_HEX = 22;

/** How bytes were understood: `text: 5 bytes, 0x68656c6c6f…`. */
function bytesMeaning(node: EditedNode, { bytes }: Checked): string {
  if (!bytes) return "";
  const { count, hex } = bytes;
  if (hex === undefined) return node._("common.bytes.hex", { count });
  const shown = hex.length > LONGEST_HEX ? `${hex.slice(0, LONGEST_HEX)}…` : hex;
  return node._("common.bytes.text", { count, hex: shown });
}
