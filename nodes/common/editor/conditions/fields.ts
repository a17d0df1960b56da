import { argName, valueNames } from "../../../../src/protocol/abi-names.ts";
import {
  CONFIDENCES,
  OPERATION_STATUSES,
  QUERY_STATUSES,
  WALLET_STATUSES,
  WATCHER_STATUSES,
} from "../../../../src/protocol/index.ts";
import type { EventChoice, ParameterChoice } from "../../shared/form-types.ts";
import type { EditedNode } from "../api.ts";
import { eventLabel } from "../lookups/event-names.ts";
import { isComposite, isCountable, isInteger } from "../values/type-hints.ts";

/**
 * What decides which comparisons fit. `hash`: an indexed value of variable size, of which the chain stores the hash only.
 * `any`: the type is not known.
 */
export type FieldKind = "number" | "address" | "bool" | "text" | "hash" | "list" | "any";

/** A field that a condition can be about. */
export type FieldChoice = {
  /** As it is stored, such as `params.value`; empty for the payload itself. */
  path: string;
  label: string;
  kind: FieldKind;
  /** Of the ABI; empty where the value is not checked against a type. */
  type: string;
  /** Of the source code, such as an enum. */
  internalType?: string;
  /** It may be an amount of tokens. */
  isCountable?: true;
  isAmount?: true;
  /** The usual values. */
  values?: readonly string[];
};

/** Fields under one heading: those of an event, or of everything that a channel sends. */
export type FieldGroup = { label: string; event?: string; fields: FieldChoice[] };

/** Deeper parts of a parameter can be typed. */
const DEEPEST = 4;
const MOST_PARTS = 100;
/** Names that a path can hold. */
const IN_PATH = /^[^.[\]]+$/;

/** What the events of an ABI have, then what every event has. */
export function fieldGroups(node: EditedNode, events: readonly EventChoice[]): FieldGroup[] {
  const ofEvents = events.map((event) => ({
    label: eventLabel(event, events),
    event: event.name,
    fields: parametersOf(event.inputs),
  }));
  return [...ofEvents.filter(({ fields }) => fields.length > 0), ...builtIn(node, events)];
}

/** A field with this path, of the event with this name where there are several. */
export function fieldAt(
  groups: readonly FieldGroup[],
  path: string,
  event?: string,
): { group: FieldGroup; field: FieldChoice } | undefined {
  const found = groups.flatMap((group) =>
    group.fields.filter((field) => field.path === path).map((field) => ({ group, field })),
  );
  return found.find(({ group }) => group.event === event) ?? found[0];
}

/**
 * The field that a new condition begins with: the next one of an event after those that are `taken`. The first is the
 * amount of the first event that has one, since most rules are about that.
 */
export function usualField(
  groups: readonly FieldGroup[],
  taken: readonly string[] = [],
): FieldChoice | undefined {
  const ofEvents = groups.filter(({ event }) => event !== undefined);
  const fields = ofEvents.flatMap((group) => group.fields);
  const last = taken.findLast((path) => fields.some((field) => field.path === path));
  const here = ofEvents.find((group) => group.fields.some(({ path }) => path === last))?.fields ?? [];
  const at = here.findIndex(({ path }) => path === last);
  const next = [...here.slice(at + 1), ...here.slice(0, at + 1), ...fields];
  const free = last === undefined ? undefined : next.find(({ path }) => !taken.includes(path));
  return free ?? fields.find(({ isAmount }) => isAmount) ?? fields[0];
}

/** A path that a person typed. */
export function typedField(path: string): FieldChoice {
  return { path, label: path, kind: "any", type: "", isCountable: true };
}

function parametersOf(inputs: readonly ParameterChoice[]): FieldChoice[] {
  const found: FieldChoice[] = [];
  const add = (parameter: ParameterChoice, name: string, path: readonly string[]): void => {
    if (!IN_PATH.test(name) || found.length >= MOST_PARTS) return;
    const here = [...path, name];
    if (parameter.type === "tuple" && !parameter.indexed && here.length < DEEPEST) {
      addAll(parameter.components ?? [], here);
      return;
    }
    const { type, internalType = "", isAmount } = parameter;
    found.push({
      path: `params.${here.join(".")}`,
      label: here.join("."),
      kind: kindOf(parameter),
      type,
      ...(internalType.startsWith("enum ") ? { internalType } : {}),
      ...(isCountable(type) && isInteger(type) ? { isCountable: true } : {}),
      ...(isAmount ? { isAmount } : {}),
    });
  };
  const addAll = (parameters: readonly ParameterChoice[], path: readonly string[]): void => {
    // The service gives a parameter without a name its position.
    const names = valueNames(parameters, argName);
    for (const [at, one] of parameters.entries()) add(one, names[at] ?? "", path);
  };
  addAll(inputs, []);
  return found;
}

function kindOf({ type, indexed }: ParameterChoice): FieldKind {
  if (indexed && (isComposite(type) || type === "string" || type === "bytes")) return "hash";
  if (isComposite(type)) return "list";
  if (isInteger(type) || /^u?fixed/.test(type)) return "number";
  return type === "address" || type === "bool" ? type : "text";
}

function builtIn(node: EditedNode, events: readonly EventChoice[]): FieldGroup[] {
  const field = (path: string, kind: FieldKind, more: Partial<FieldChoice> = {}): FieldChoice => ({
    path,
    label: node._(`common.condition.field.${path || "payload"}`),
    kind,
    type: kind === "address" ? "address" : kind === "number" ? "uint256" : "",
    ...more,
  });
  const names = [...new Set(events.map(({ name }) => name))];
  const statuses = [...OPERATION_STATUSES, ...QUERY_STATUSES, ...WALLET_STATUSES, ...WATCHER_STATUSES];
  return [
    {
      label: node._("common.condition.group.event"),
      fields: [
        field("name", "text", { values: names }),
        field("contract", "address"),
        field("confidence", "text", { values: CONFIDENCES }),
        field("blockNumber", "number"),
        field("blockTime", "number"),
        field("transactionHash", "text"),
        field("chainSelector", "text"),
      ],
    },
    {
      label: node._("common.condition.group.status"),
      fields: [
        field("status", "text", { values: [...new Set(statuses)] }),
        field("reason", "text"),
        field("wallet", "address"),
        field("target", "address"),
      ],
    },
    { label: node._("common.condition.group.other"), fields: [field("", "any", { isCountable: true })] },
  ];
}
