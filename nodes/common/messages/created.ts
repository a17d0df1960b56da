import type { CrecClient } from "../../../src/index.ts";
import type { Connection } from "../fields/config-nodes.ts";
import { isObject } from "../shared/collections.ts";
import type { CrecMessage } from "./message.ts";

/** What a message says was created a moment ago: id or address, and when, in Unix seconds. */
type Created = Record<string, number>;

/** So long after a create the service may still not know what it has created. */
const SECONDS = 30;
/** So many seconds the clock of another machine may be ahead. */
const CLOCKS_DIFFER_BY = 60;
/** More than a flow creates in that time for one message. */
const MOST = 50;

/**
 * The connection's client, told what `msg.crec.created` says: another connection, or another Node-RED, may have
 * created what the message is about.
 */
export async function clientFor(connection: Connection, msg: CrecMessage): Promise<CrecClient> {
  const client = await connection.client();
  for (const [id, at] of Object.entries(createdIn(msg))) client.noteCreated(id, at);
  return client;
}

/** `created` for `msg.crec`, where one of its ids is that new. */
export function createdOf(
  client: CrecClient,
  msg: CrecMessage,
  crec: Record<string, unknown>,
): { created?: Created } {
  const created: Created = {};
  for (const id of Object.values(crec)) {
    const at = typeof id === "string" ? client.createdAt(id) : undefined;
    if (typeof id === "string" && at !== undefined) created[id] = at;
  }
  return Object.keys(created).length === 0 ? {} : { created: { ...createdIn(msg), ...created } };
}

/**
 * Without what is too old to matter, and what no clock can say, such as milliseconds: a message that goes in circles
 * does not grow.
 */
function createdIn({ crec }: CrecMessage): Created {
  const { created } = crec ?? {};
  if (!isObject(created)) return {};
  const now = Date.now() / 1000;
  const isNew = (entry: [string, unknown]): entry is [string, number] =>
    typeof entry[1] === "number" && entry[1] > now - SECONDS && entry[1] <= now + CLOCKS_DIFFER_BY;
  return Object.fromEntries(Object.entries(created).filter(isNew).slice(-MOST));
}
