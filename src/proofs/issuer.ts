import { type Fields, isObject, objectOrEmpty } from "./fields.ts";
import { Rejection } from "./reasons.ts";

/** The service that the platform signs operations and queries as. No watcher belongs to it. */
const PLATFORM_SERVICE = "_crec";

type Issuer = "platform" | "watcher";

/**
 * The same oracles sign what the platform states about operations and queries, and what the watcher of a service
 * reports: data of any shape. The signed service tells the two apart. Which name the platform signs in an operation's
 * status is not documented: any other name than `_crec` is refused, since nothing else that is signed tells such a
 * status from a watcher's report.
 * @throws {Rejection} `malformed_event` when the signed text was issued by the other one.
 */
export function requireIssuer(issuer: Issuer, content: Fields): void {
  if (issuer === issuerOf(content)) return;
  const { service } = content;
  const isNamed = typeof service === "string" && service !== "";
  const named = isNamed ? `the service ${JSON.stringify(service.slice(0, 40))}` : "no service";
  const whom = issuer === "platform" ? "the platform" : "a watcher";
  throw new Rejection("malformed_event", `the signed text was not issued by ${whom}: it names ${named}`);
}

function issuerOf({ service, chain_event, data }: Fields): Issuer {
  if (service !== undefined && service !== null && service !== "") {
    return service === PLATFORM_SERVICE ? "platform" : "watcher";
  }
  // A watcher that names no service reports a log, and only a log.
  return !isObject(chain_event) && isPlatformData(objectOrEmpty(data)) ? "platform" : "watcher";
}

function isPlatformData(data: Fields): boolean {
  const ofOperation = has(data, "wallet_operation_id") && has(data, "wallet_address") && has(data, "status");
  return ofOperation || (has(data, "query_id") && (has(data, "target") || has(data, "block_selection")));
}

function has(fields: Fields, name: string): boolean {
  return Object.hasOwn(fields, name);
}
