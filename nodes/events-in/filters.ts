import type { EventFilter, EventType } from "../../src/index.ts";
import { eventNames } from "../common/contracts/event-names.ts";
import type { ContractRef } from "../common/fields/config-nodes.ts";
import type { ConfidenceOption } from "../common/shared/fields.ts";
import type { EventsInFields } from "./settings.ts";

export type Filters = {
  types: EventType[];
  /** Ids or names: only the service can tell them apart. */
  watchers: string[];
  /** All filters that depend neither on the watcher nor on the confidence. */
  filter: EventFilter;
  confidence: ConfidenceOption;
};

/**
 * The filters of a node's form. One that no event can match is refused, since the node would skip all of them.
 * @throws INVALID_FIELD, MISSING_VALUE, VARIABLE_MISSING
 */
export async function filtersOf(
  fields: EventsInFields,
  contract: Pick<ContractRef, "address" | "chainSelector"> | undefined,
): Promise<Filters> {
  const values = fields.of({});
  const names = async (name: "watcher" | "contractEvent" | "address") => {
    const found = await values.names(name);
    if (found.length === 0 && (fields.settings[`${name}Type`] ?? "str") !== "str") throw fields.missing(name);
    return found;
  };
  const types = fields.list("types");
  const confidence = fields.choice("confidence");
  const watchers = await names("watcher");
  const contractEvents = await eventNames(await names("contractEvent"), fields.label("contractEvent"));
  const given = await names("address");
  // One contract can serve other addresses of the same kind.
  const addresses = given.length === 0 && contract ? [contract.address] : given;
  const chainSelectors = contract ? [contract.chainSelector] : [];
  return { types, watchers, confidence, filter: { contractEvents, addresses, chainSelectors } };
}
