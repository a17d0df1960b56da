import type { CrecClient, SearchEvents } from "../../src/index.ts";
import { isUuid } from "../../src/protocol/ids.ts";
import type { FieldReader, MessageFields } from "../common/fields/field-reader.ts";
import { loadLibrary } from "../common/library.ts";
import { nodeError } from "../common/shared/errors.ts";
import type { TypedField } from "../common/shared/fields.ts";
import { timeOf } from "../common/shared/times.ts";
import { NODE } from "./fields.ts";
import { FILTER_NAMES, FILTERS, type FilterName, typeWithout } from "./filters.ts";

type Fields = FieldReader<typeof NODE>;
type Values = MessageFields<typeof NODE>;
type Asking = { client: CrecClient; channelId: string; signal: AbortSignal };

/**
 * The search for one message.
 * @throws INVALID_FIELD, INVALID_ADDRESS, WATCHER_NOT_FOUND, WALLET_NOT_FOUND, VARIABLE_MISSING
 */
export async function searchOf(fields: Fields, values: Values, asking: Asking): Promise<SearchEvents> {
  const types: readonly string[] = fields.settings.types ?? [];
  const environment = fields.choice("environment");
  const { unlisted } = await loadLibrary();
  return {
    ...(await filtersOf(fields, values, types, asking)),
    ...(types.length > 0 ? { type: types.map(unlisted) } : {}),
    ...(environment ? { chain_environment: environment } : {}),
    ...(await periodOf(fields, values)),
  };
}

async function filtersOf(
  fields: Fields,
  values: Values,
  types: readonly string[],
  asking: Asking,
): Promise<Record<string, string | readonly string[]>> {
  const { checksumAddress } = await loadLibrary();
  const filters: Record<string, string | readonly string[]> = {};
  for (const name of FILTER_NAMES) {
    const given = await valuesOf(values, name);
    const [first] = given;
    if (first === undefined) continue;
    const type = typeWithout(name, types);
    if (type) throw fields.wrong(name, given.join(", "), "search-events.error.conflict", { type });
    if (name === "address") {
      filters.address = given.map((address) => checksumAddress(address, fields.label("address")));
    } else {
      filters[FILTERS[name]] = isList(name) ? given : await wireValue(name, first, asking);
    }
  }
  return filters;
}

async function valuesOf(values: Values, name: FilterName): Promise<string[]> {
  if (isList(name)) return values.names(name);
  // Empty text is no filter. Nothing at all is an error: else everything would be found.
  await values.present(name);
  const text = (await values.text(name))?.trim();
  return text ? [text] : [];
}

function isList(name: FilterName): boolean {
  const field: TypedField = NODE.fields[name];
  return field.list === true;
}

/** A name becomes the id, which is what the service searches by. */
async function wireValue(name: FilterName, value: string, asking: Asking): Promise<string> {
  const { client, channelId, signal } = asking;
  // The service knows events by their name, without parameters.
  if (name === "contractEvent") return value.replace(/\s*\(.*$/s, "");
  if (isUuid(value)) return value;
  if (name === "watcher") {
    const watcher = await client.watchers.findByName(channelId, value, { signal });
    return watcher?.watcher_id ?? notFound("WATCHER_NOT_FOUND", `watcher named "${value}" in this channel`);
  }
  if (name === "wallet") {
    const wallet = await client.wallets.findByName(value, { signal });
    return wallet?.wallet_id ?? notFound("WALLET_NOT_FOUND", `wallet named "${value}"`);
  }
  return value;
}

function notFound(code: string, what: string): never {
  throw nodeError(code, `There is no ${what}. Choose one in the node's form, or enter its id.`);
}

async function periodOf(fields: Fields, values: Values): Promise<SearchEvents> {
  const now = Date.now() / 1000;
  const given = await values.present("from");
  const from = timeOf(fields.label("from"), given, now);
  const to = timeOf(fields.label("to"), await values.present("to"), now);
  if (from !== undefined && to !== undefined && from >= to) {
    throw fields.wrong("from", given, "search-events.error.period", { end: fields.label("to") });
  }
  return {
    ...(from === undefined ? {} : { "created.gte": from }),
    ...(to === undefined ? {} : { "created.lt": to }),
  };
}
