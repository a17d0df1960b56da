import {
  EVENT_TYPES,
  OPERATION_STATUSES,
  QUERY_STATUSES,
  WALLET_STATUSES,
  WATCHER_STATUSES,
} from "../../src/protocol/index.ts";
import type { EditedNode, TypedInputType } from "../common/editor/api.ts";
import { warnOfMissingDecimals } from "../common/editor/calls/decimals.ts";
import { formConditions } from "../common/editor/conditions/form-conditions.ts";
import { partOf } from "../common/editor/form-fields.ts";
import { inputOf, problemUnder } from "../common/editor/form-rows.ts";
import { offerEventNames } from "../common/editor/lookups/event-names.ts";
import type { NodeForm } from "../common/editor/node-form.ts";
import { configName, eventsIn, withCount } from "../common/editor/node-label.ts";
import { TEXT_TYPES } from "../common/shared/common-fields.ts";
import { NODE } from "./fields.ts";
import { FILTER_NAMES, type FilterName, typeWithout } from "./filters.ts";

const STATUSES: Readonly<Record<string, readonly string[]>> = {
  "operation.status": OPERATION_STATUSES,
  "query.status": QUERY_STATUSES,
  "watcher.status": WATCHER_STATUSES,
  "wallet.status": WALLET_STATUSES,
};

const conditions = formConditions();

export const form: NodeForm = {
  label: (node) => {
    const channel = configName(node.channel);
    const searched = eventsIn(node, "contractEvent") || withCount(typesOf(node));
    const events = searched
      ? node._("search-events.label-of", { events: searched })
      : node._("search-events.palette");
    return channel ? node._("common.label-of.events", { events, channel }) : "";
  },
  checks: {
    ...Object.fromEntries(
      FILTER_NAMES.map((name) => [
        name,
        (node: EditedNode, value: unknown) => conflict(node, name, value, typesOf(node)),
      ]),
    ),
    conditions: conditions.check,
  },
  opened(node) {
    warnOfMissingDecimals(node);
    offerStatuses(node, typesOf(node));
    const [channel, contract] = [inputOf("channel"), inputOf("contract")];
    offerEventNames(node, {
      ...{ name: "contractEvent", types: TEXT_TYPES.slice(1), isList: false },
      channels: () => [String(channel.val() ?? "")],
      contract: () => String(contract.val() ?? ""),
      depends: channel.add(contract),
    });
    conditions.open(node, partOf(NODE, "conditions"), { contract });
    const filters = FILTER_NAMES.map((name) => ({ name, problem: problemUnder(inputOf(name)) }));
    const show = (): void => {
      const types = tickedTypes();
      for (const { name, problem } of filters) {
        const value = inputOf(name).typedInput("value");
        const sentence = conflict(node, name, value, types);
        const applies = typeWithout(name, types) === undefined;
        partOf(NODE, `${name}-row`).toggle(applies || sentence !== undefined);
        problem.say(sentence ?? "");
      }
    };
    for (const type of EVENT_TYPES) {
      tickOf(type).on("change", () => {
        offerStatuses(node, tickedTypes());
        show();
      });
    }
    for (const name of FILTER_NAMES) inputOf(name).on("change", show);
    show();
  },
  cancelled: conditions.cancelled,
  saved: conditions.saved,
};

/** The service refuses a filter that does not apply to each of the types. */
function conflict(
  node: EditedNode,
  name: FilterName,
  value: unknown,
  types: readonly string[],
): string | undefined {
  const type = String(value ?? "").trim() === "" ? undefined : typeWithout(name, types);
  return type === undefined ? undefined : node._("search-events.error.conflict", { type });
}

/** Offers the statuses of the searched types, and those that are ticked already. */
function offerStatuses(node: EditedNode, types: readonly string[]): void {
  const searched = types.length > 0 ? types : Object.keys(STATUSES);
  const ticked = String(inputOf("statuses").val() ?? "").split(",");
  const statuses = new Set([
    ...searched.flatMap((type) => STATUSES[type] ?? []),
    ...ticked.map((status) => status.trim()),
  ]);
  statuses.delete("");
  const text: TypedInputType = {
    value: "str",
    label: node._("common.label.typed"),
    icon: "red/images/typedInput/az.svg",
    multiple: true,
    options: [...statuses].map((status) => ({ value: status, label: status })),
  };
  inputOf("statuses").typedInput("types", [text, ...TEXT_TYPES.slice(1)]);
}

function typesOf({ types }: EditedNode): string[] {
  return Array.isArray(types) ? (types as string[]) : [];
}

function tickedTypes(): string[] {
  return EVENT_TYPES.filter((type) => tickOf(type).is(":checked"));
}

function tickOf(type: string): JQuery {
  return partOf(NODE, `types-${type.replaceAll(".", "-")}`);
}
