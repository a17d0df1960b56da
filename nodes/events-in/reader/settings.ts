import { join } from "node:path";
import type { NodeAPI } from "node-red";
import type { EventConsumerOptions, EventFilter, EventType, StartPosition } from "../../../src/index.ts";
import { eventNames } from "../../common/contracts/event-names.ts";
import { acceptedWatchers } from "../../common/fields/accepted-events.ts";
import { type ContractRef, contractOf } from "../../common/fields/config-nodes.ts";
import type { FieldReader, FormContext } from "../../common/fields/field-reader.ts";
import { fileNameOf } from "../../common/fields/file-name.ts";
import { stateFolderFor } from "../../common/folder/state-folder.ts";
import type { ConfidenceOption } from "../../common/shared/common-fields.ts";
import { nodeError } from "../../common/shared/errors.ts";
import { timeOf } from "../../common/shared/times.ts";
import type { NODE } from "../fields.ts";
import { positionOf } from "./commands.ts";

type EventsInFields = FieldReader<typeof NODE>;

export type ReaderSettings = Awaited<ReturnType<typeof readerSettings>>;

/** How the outputs are set. */
export type OutputChoices = ReturnType<typeof outputChoices>;

export type Filters = {
  types: EventType[];
  /** Ids or names: only the service can tell them apart. */
  watchers: string[];
  /** All filters that depend neither on the watcher nor on the confidence. */
  filter: EventFilter;
  confidence: ConfidenceOption;
};

/**
 * All settings of a node, so that a wrong one is reported before anything is sent.
 * @throws INVALID_FIELD, MISSING_VALUE, VARIABLE_MISSING, CONTRACT_MISSING
 */
export async function readerSettings(context: Pick<FormContext<typeof NODE>, "RED" | "fields">) {
  const { fields } = context;
  const { nodes } = context.RED;
  const choices = outputChoices(fields);
  const contract = fields.settings.contract ? contractOf(nodes, fields.settings.contract) : undefined;
  const chosen = contract && { contract, abi: await contract.abi() };
  const start = startOf(fields);
  const filters = await filtersOf(fields, contract);
  const delivery = deliveryOf(fields);
  const intervals = pollIntervals(fields);
  const watchers = fields.flag("verify") ? await acceptedWatchers(fields) : undefined;
  return { choices, chosen, start, filters, delivery, intervals, watchers };
}

/** @throws INVALID_FIELD */
function outputChoices(fields: EventsInFields) {
  const commit = fields.choice("commit");
  const ackRejected = commit === "on-send" || fields.flag("ackRejected");
  return { unverified: fields.choice("unverified"), commit, ackRejected };
}

/** Where a consumer without a cursor starts. @throws INVALID_FIELD when it is neither an offset nor a time */
export function startOf(fields: EventsInFields): StartPosition {
  const start = fields.choice("start");
  const value = fields.text("startValue");
  if (start === "offset") return positionOf(value);
  if (start !== "time") return start;
  const time = timeOf(fields.label("startValue"), value, Date.now() / 1000);
  if (time === undefined) throw fields.wrong("startValue", value);
  return { time };
}

/** In milliseconds. @throws INVALID_FIELD */
export function pollIntervals(fields: EventsInFields): { pollMinMs: number; pollMaxMs: number } {
  const pollMinMs = fields.milliseconds("pollMin");
  return { pollMinMs, pollMaxMs: Math.max(pollMinMs, fields.milliseconds("pollMax")) };
}

const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** How events are acknowledged, and which are too old to be delivered. @throws INVALID_FIELD */
export function deliveryOf(fields: EventsInFields): Partial<EventConsumerOptions> {
  const [crashes, lateWithin] = [fields.number("crashes"), fields.number("lateWithin")];
  const skipOlder = fields.number("skipOlder");
  const onSend = { inFlight: fields.number("unfinished"), ackTimeoutMs: Number.POSITIVE_INFINITY };
  const byFlow = () => ({
    inFlight: fields.number("inFlight"),
    ackTimeoutMs: fields.milliseconds("ackTimeout"),
    maxAttempts: fields.number("attempts") ?? UNLIMITED,
  });
  const { commit, ackRejected } = outputChoices(fields);
  return {
    commit: "on-ack",
    ...(commit === "on-send" ? onSend : byFlow()),
    ackRejected,
    ...(crashes === undefined ? {} : { maxCrashes: crashes }),
    ...(lateWithin === undefined ? {} : { late: { withinMs: lateWithin * 1000 } }),
    ...(skipOlder === undefined ? {} : { catchUp: { skipOlderThanMs: skipOlder * 1000 } }),
  };
}

/**
 * The filters of a node's form. One that no event can match is refused, since the node would skip all of them.
 * @throws INVALID_FIELD, MISSING_VALUE, VARIABLE_MISSING
 */
async function filtersOf(
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

/** The file with a consumer's cursor. @throws INVALID_FIELD */
export function cursorPath(RED: NodeAPI, consumer: string): string {
  if (!consumer.isWellFormed()) {
    const why = "The name of the consumer holds half a character, and cannot name a file";
    throw nodeError("INVALID_FIELD", `${why}. Type another one.`);
  }
  return join(stateFolderFor(RED, "cursors"), `${fileNameOf(consumer)}.json`);
}

/** What two nodes must not share: the cursor's file, or its key in a context store. */
export function cursorLocation(RED: NodeAPI, store: string | undefined, consumer: string): string {
  return store ? `${store}:${consumer}` : cursorPath(RED, consumer);
}
