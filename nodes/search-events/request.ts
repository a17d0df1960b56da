import type { Node, NodeAPI, NodeDef } from "node-red";
import type { CrecClient, SearchEvents } from "../../src/index.ts";
import { isUuid } from "../../src/protocol/ids.ts";
import { oneOf, readField, readText } from "../lib/runtime/fields.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import type { CrecMessage } from "../lib/runtime/message.ts";
import { readNames } from "../lib/runtime/names.ts";
import { nodeError } from "../lib/shared/errors.ts";
import { timeOf } from "../lib/shared/times.ts";
import { FILTER_FIELDS, type FilterField, type FilterProperty, firstUnfit } from "./filter-fields.ts";

/** Fields that do not restrict where they are empty, each with the type of its value. */
type Filters = { [P in FilterProperty | `${FilterProperty}Type`]?: string };

export type SearchEventsDef = NodeDef &
  Filters & {
    channel?: string;
    /** Its ABI names parameters. */
    contract?: string;
    /** Types of events; all when empty. */
    types?: string[];
    environment?: "" | "mainnet" | "testnet";
    /** From then on, and until before then. */
    from?: string;
    fromType?: string;
    to?: string;
    toType?: string;
    verify?: boolean;
    /** How many at most; all when empty. */
    limit?: string | number;
  };

type Asking = { client: CrecClient; channelId: string; signal: AbortSignal };

/**
 * What the service is asked for.
 * @throws INVALID_FIELD, INVALID_ADDRESS, WATCHER_NOT_FOUND, WALLET_NOT_FOUND
 */
export async function searchOf(
  RED: NodeAPI,
  node: Node,
  def: SearchEventsDef,
  msg: CrecMessage,
  asking: Asking,
): Promise<SearchEvents> {
  const { types = [] } = def;
  const environment = oneOf("Environment", def.environment, ["mainnet", "testnet"]);
  const { SEARCH_FILTERS, checksumAddress, unlisted } = await loadLibrary();
  const filter: Record<string, string | readonly string[] | number> = {};
  for (const field of FILTER_FIELDS) {
    const { property, label, several } = field;
    const place = { label, value: def[property], type: def[`${property}Type`] };
    const text = several ? undefined : await readText(RED, node, msg, place);
    const values = several ? await readNames(RED, node, msg, place) : text?.trim() ? [text.trim()] : [];
    const [first] = values;
    if (first === undefined) continue;
    const unfit = firstUnfit(field.filter, types, SEARCH_FILTERS);
    if (unfit) throw doesNotApply(field, unfit);
    if (property === "address") filter.address = values.map((value) => checksumAddress(value, label));
    else filter[field.filter] = several ? values : await wireValue(field, first, asking);
  }
  const now = Date.now() / 1000;
  const time = async (label: string, value: string | undefined, type: string | undefined) =>
    timeOf(label, await readField(RED, node, msg, { label, value, type }), now);
  const from = await time("From", def.from, def.fromType);
  const to = await time("To", def.to, def.toType);
  if (from !== undefined && to !== undefined && from >= to) {
    throw nodeError("INVALID_FIELD", '"From" must be earlier than "To": nothing lies between them.');
  }
  return {
    ...filter,
    ...(types.length > 0 ? { type: types.map(unlisted) } : {}),
    ...(environment ? { chain_environment: environment } : {}),
    ...(from === undefined ? {} : { "created.gte": from }),
    ...(to === undefined ? {} : { "created.lt": to }),
  };
}

/** How many messages at most. @throws INVALID_FIELD */
export function limitOf({ limit }: SearchEventsDef): number {
  const text = String(limit ?? "").trim();
  if (text === "") return Number.POSITIVE_INFINITY;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw nodeError("INVALID_FIELD", `"At most" must be a whole number from 1 on, or empty, not "${text}".`);
}

async function wireValue({ property }: FilterField, value: string, asking: Asking): Promise<string> {
  const { client, channelId, signal } = asking;
  // The service knows the event's bare name.
  if (property === "contractEvent") return value.replace(/\s*\(.*$/s, "");
  if (isUuid(value)) return value;
  if (property === "watcher") {
    const watcher = await client.watchers.findByName(channelId, value, { signal });
    return watcher?.watcher_id ?? notFound("WATCHER_NOT_FOUND", `watcher named "${value}" in this channel`);
  }
  if (property === "wallet") {
    const wallet = await client.wallets.findByName(value, { signal });
    return wallet?.wallet_id ?? notFound("WALLET_NOT_FOUND", `wallet named "${value}"`);
  }
  return value;
}

function notFound(code: string, what: string): never {
  throw nodeError(code, `There is no ${what}. Pick one in the node's form, or give its id.`);
}

function doesNotApply({ label }: FilterField, type: string): Error {
  return nodeError(
    "INVALID_FIELD",
    `"${label}" does not apply to events of type ${type}. Empty it, or untick ${type} in the node's form.`,
  );
}
