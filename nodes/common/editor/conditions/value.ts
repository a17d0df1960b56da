import { TEXT_TYPES } from "../../shared/common-fields.ts";
import { ADDRESS } from "../../shared/field-checks.ts";
import type { Checked, ValueCheck } from "../../shared/form-types.ts";
import type { ConditionDef } from "../../shared/stored-values.ts";
import { splitNames } from "../../shared/text.ts";
import { isReference } from "../../shared/variables.ts";
import type { CompletionSearch, EditedNode, TypedInputType } from "../api.ts";
import { hintUnder, labelled, nameVisibleBox, problemUnder, visibleBox } from "../form-rows.ts";
import { ADDRESSES, shortAddress } from "../lookups/addresses.ts";
import { postJson } from "../lookups/admin-requests.ts";
import { completeLast, knownAddresses, listOnClick, lookUp } from "../lookups/lookup.ts";
import { inOtherUnit } from "../values/value-field.ts";
import { liveCheck, TYPED } from "../while-open.ts";
import type { FieldChoice } from "./fields.ts";
import { valueProblem } from "./problem.ts";

type FieldDef = Extract<ConditionDef, { kind: "field" }>;

/** A typed input for one value of a condition. */
export type ValuePart = {
  read(): { value: string; type: string };
  /** Checks the value again, after its field, unit or contract has changed. */
  check(): void;
};

type ValueOptions = {
  id: string;
  label: string;
  field: FieldChoice;
  stored: { value: string | undefined; type: string | undefined };
  /** As CSS. */
  width: string;
  /** What the value is for, as the row has it now. */
  condition: () => Pick<FieldDef, "is" | "field" | "unit">;
  /** Of the contract, as stored. */
  decimals: () => string;
  /** A chain selector, whose contracts and wallets are offered. */
  network: () => string;
  changed: () => void;
};

/** Values of one condition that the library checks while a person types; the rest is checked at run time. */
const MOST_CHECKED = 20;

export function valuePart(node: EditedNode, container: JQuery, options: ValueOptions): ValuePart {
  const { id, label, stored, condition, changed } = options;
  const input = labelled(node, container, id, label, $('<input type="text">'), false);
  input.css("width", options.width).attr("placeholder", placeholderOf(node, options));
  const text: TypedInputType = {
    value: "str",
    label: node._("common.label.typed"),
    icon: "red/images/typedInput/az.svg",
  };
  const search = searchOf(options);
  input.typedInput({
    default: "str",
    types: [{ ...text, ...(search ? { autoComplete: search } : {}) }, ...TEXT_TYPES.slice(1)],
  });
  if (stored.type) input.typedInput("type", stored.type);
  input.typedInput("value", stored.value ?? "");
  if (search) listOnClick(visibleBox(input));
  nameVisibleBox(input);
  const meaning = hintUnder(input);
  const problem = problemUnder(input);

  const read = () => ({ value: String(input.typedInput("value") ?? ""), type: input.typedInput("type") });
  const check = liveCheck<Judged>(
    input,
    () => {
      const { value, type } = read();
      const wrong = value === "" ? "" : valueProblem(node, condition(), value, type);
      if (wrong !== undefined) return Promise.resolve({ problem: wrong });
      return type === "str" ? judge(node, value, options) : undefined;
    },
    (judged) => {
      problem.say(judged?.problem ?? "");
      meaning.say(judged?.meaning ?? "");
    },
  );
  input.add(visibleBox(input)).on(TYPED, () => {
    check.soon();
    changed();
  });
  // An empty field is not reported until it is edited.
  if (read().value !== "") check.now();
  return { read, check: () => check.now() };
}

type Judged = { problem?: string | undefined; meaning?: string | undefined };

async function judge(node: EditedNode, value: string, options: ValueOptions): Promise<Judged> {
  const { is, unit } = options.condition();
  const values = (is === "oneOf" ? splitNames(value) : [value.trim()]).filter((one) => !isReference(one));
  const questions = values.slice(0, MOST_CHECKED).flatMap((one) => questionOf(one, unit, options) ?? []);
  const answers = await Promise.all(questions.map((one) => postJson<Checked>("crec/abi/check", one)));
  const problem = answers.find((answer) => answer.problem !== undefined)?.problem;
  if (problem !== undefined) return { problem };
  if (options.field.kind === "address") return { meaning: await names(values) };
  if (options.field.path === "name") return { meaning: unknownNames(node, values, options) };
  const [only, ...more] = answers;
  if (!only || only.problem !== undefined || more.length > 0) return {};
  return { meaning: inOtherUnit(node, only, unit === "token" ? { unit } : {}) };
}

/** Types whose values have a length or a range. */
const SIZED = /^(?:address|bytes\d+|function|u?int\d+|u?fixed\d+x\d+)$/;

/** What each value must be of; undefined where any text can be compared. A part may be shorter than the whole. */
function typeOf({ kind, type }: FieldChoice, is: FieldDef["is"]): string | undefined {
  const isPart = ["contains", "startsWith", "endsWith"].includes(is);
  // The chain stores 32 bytes of it.
  if (kind === "hash") return isPart ? undefined : "bytes32";
  const item = is === "contains" && kind === "list" ? type.replace(/\[\d*\]$/, "") : type;
  return SIZED.test(item) && (!isPart || item !== type) ? item : undefined;
}

/** Undefined where any text can be compared. */
function questionOf(
  value: string,
  unit: FieldDef["unit"],
  { field, condition, decimals }: ValueOptions,
): ValueCheck | undefined {
  const type = typeOf(field, condition().is);
  if (type === undefined) return undefined;
  const places = /^\d+$/.test(decimals()) ? { decimals: Number(decimals()) } : {};
  // Without decimals the tokens of the event itself are compared.
  if (unit && !("decimals" in places)) return undefined;
  return {
    name: field.label,
    type,
    value,
    valueType: "str",
    hexOnly: true,
    ...(unit ? { unit } : {}),
    ...places,
  };
}

/** Names of events that the contract does not have. Others may be sent later, so this is only a hint. */
function unknownNames(
  node: EditedNode,
  values: readonly string[],
  { field: { values: known = [] }, condition }: ValueOptions,
): string {
  const unknown = values.filter((value) => !known.includes(value));
  if (known.length === 0 || unknown.length === 0 || !["equals", "oneOf"].includes(condition().is)) return "";
  return node._("common.condition.unknown-event", { names: unknown.join(", ") });
}

/** The names of known addresses: `0x5FbD…0aa3: treasury`. */
async function names(values: readonly string[]): Promise<string> {
  const { choices = [] } = await knownAddresses(channel());
  return values
    .flatMap((value) => {
      const found = choices.find((choice) => choice.value.toLowerCase() === value.toLowerCase());
      const isNamed = found !== undefined && ADDRESS.test(value) && found.label !== found.value;
      return isNamed ? `${shortAddress(value)}: ${found.label}` : [];
    })
    .join(" · ");
}

function searchOf({ field, condition, network }: ValueOptions): CompletionSearch | undefined {
  const isList = condition().is === "oneOf";
  if (field.kind === "address") {
    const search = lookUp(ADDRESSES, channel, network);
    return isList ? completeLast(search) : search;
  }
  const { values = [] } = field;
  if (values.length === 0) return undefined;
  const search: CompletionSearch = (text, done) => {
    const lowerCase = text.trim().toLowerCase();
    const isWhole = values.some((value) => value.toLowerCase() === lowerCase);
    const found = values.filter((value) => isWhole || value.toLowerCase().includes(lowerCase));
    done(found.map((value) => ({ value, label: $("<span>").text(value) })));
  };
  return isList ? completeLast(search) : search;
}

function placeholderOf(node: EditedNode, { field, condition }: ValueOptions): string {
  if (field.kind === "address") return node._("common.condition.placeholder.addresses");
  if (condition().is === "oneOf") return node._("common.condition.placeholder.list");
  if (condition().unit === "token") return node._("common.condition.placeholder.tokens");
  return "";
}

/** The channel of the form, whose service is asked. */
function channel(): string {
  return String($("#node-input-channel").val() ?? "");
}
