import type { NodeAPI } from "node-red";
import { acceptedWatchers } from "../common/fields/accepted-watchers.ts";
import { contractOf } from "../common/fields/config-nodes.ts";
import { filtersOf } from "./filters.ts";
import { deliveryOf, type EventsInFields, outputChoices, pollIntervals, startOf } from "./settings.ts";

export type ReaderSettings = Awaited<ReturnType<typeof readerSettings>>;

/**
 * All settings of a node, so that a wrong one is reported before anything is sent.
 * @throws INVALID_FIELD, MISSING_VALUE, VARIABLE_MISSING, CONTRACT_MISSING
 */
export async function readerSettings(RED: NodeAPI, fields: EventsInFields) {
  const choices = outputChoices(fields);
  const contract = fields.settings.contract ? contractOf(RED.nodes, fields.settings.contract) : undefined;
  const chosen = contract && { contract, abi: await contract.abi() };
  const start = startOf(fields);
  const filters = await filtersOf(fields, contract);
  const delivery = deliveryOf(fields);
  const intervals = pollIntervals(fields);
  const watchers = fields.flag("verify") ? await acceptedWatchers(fields) : undefined;
  return { choices, chosen, start, filters, delivery, intervals, watchers };
}
