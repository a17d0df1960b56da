import { KNOWN_CHAINS } from "../protocol/index.ts";
import { wholeDigits } from "./integer.ts";
import { Rejection } from "./reasons.ts";
import { type Fields, isObject, PROOF_LIMITS, parseSignedText, present } from "./signed-text.ts";
import { isVerifiable } from "./verifiable.ts";

/** The service that signs for operations and queries. No watcher is of that service. */
const PLATFORM = "_crec";

/** A field beside the signed bytes, and what the signed bytes say. Compared without case. */
export type Comparison = { field: string; said: string; signed: string };

/** What an event claims, copied out of it once, so that later checks touch nothing foreign. */
export type Claim = {
  type: string;
  status?: string;
  /** Of a contract event. It is not signed. */
  watcherId?: string;
  /** The base64 text whose bytes are signed. */
  signedText?: string;
  eventHash?: string;
  channelId?: string;
  signedChannelId?: string;
  comparisons: Comparison[];
  proofs: ProofItem[];
};

/** A proof item of the OCR shape; its hex is not checked yet. */
export type ProofItem = { report: string; context: string; signatures: string[] };

/**
 * Reads an event of any origin.
 * @throws {Rejection} `malformed_event` when its payload is not of the type its header names.
 */
export function readClaim(event: unknown): Claim {
  const { headers, payload, channel_id, type, proofs } = object(event, "the event");
  // Some versions have what belongs there beside it.
  const header = !present(headers) && present(type) ? {} : object(headers, "headers");
  const claim: Claim = {
    type: text(header.type ?? type, "type"),
    comparisons: [],
    proofs: readProofItems(header.proofs ?? proofs),
  };
  if (typeof channel_id === "string") claim.channelId = channel_id;
  const fields = object(payload, "payload");
  switch (claim.type) {
    case "watcher.event":
      readWatcherEvent(claim, fields);
      break;
    case "operation.status":
      readOperationStatus(claim, fields);
      break;
    case "query.status":
      readQueryStatus(claim, fields);
      break;
    case "watcher.status":
      text(fields.watcher_id, "watcher_id");
      claim.status = text(fields.status, "status");
      break;
    case "wallet.status":
      text(fields.wallet_id, "wallet_id");
      claim.status = text(fields.status, "status");
      break;
  }
  return claim;
}

function readWatcherEvent(claim: Claim, fields: Fields): void {
  claim.watcherId = text(fields.watcher_id, "watcher_id");
  const selector = integer(fields.chain_selector, "chain_selector");
  const signed = readSigned(claim, fields, "verifiable_event");
  if (signed === undefined) throw new Rejection("malformed_event", "verifiable_event is missing");
  text(signed.name, "the signed name");
  if (present(signed.chain_event)) object(signed.chain_event, "the signed chain_event");
  requireSaidBy("a watcher", signed);
  compareChain(claim, selector, signed);
}

function readOperationStatus(claim: Claim, fields: Fields): void {
  claim.status = text(fields.status, "status");
  text(fields.operation_id, "operation_id");
  const id = integer(fields.wallet_operation_id, "wallet_operation_id");
  const address = text(fields.address, "address");
  const selector = integer(fields.chain_selector, "chain_selector");
  if (!isVerifiable(claim.type, claim.status)) return;
  const signed = readSigned(claim, fields, "verifiable_event");
  if (signed === undefined) return;
  const data = object(signed.data, "the signed data");
  requireSaidBy("the platform", signed);
  compareChain(claim, selector, signed);
  claim.comparisons.push(
    { field: "status", said: claim.status, signed: text(data.status, "the signed status") },
    {
      field: "wallet_operation_id",
      said: id,
      signed: integer(data.wallet_operation_id, "the signed wallet_operation_id"),
    },
    {
      field: "address",
      said: address,
      signed: text(data.wallet_address, "the signed wallet_address"),
    },
  );
}

function readQueryStatus(claim: Claim, fields: Fields): void {
  claim.status = text(fields.status, "status");
  const id = text(fields.query_id, "query_id");
  const target = text(fields.target, "target");
  const selector = integer(fields.chain_selector, "chain_selector");
  if (!isVerifiable(claim.type, claim.status)) return;
  const signed = readSigned(claim, fields, "verifiable_result");
  if (signed === undefined) return;
  const data = object(signed.data, "the signed data");
  requireSaidBy("the platform", signed);
  const contract = object(data.target, "the signed target").contract_address;
  claim.signedChannelId = text(data.channel_id, "the signed channel_id");
  compareChain(claim, selector, signed);
  claim.comparisons.push(
    { field: "query_id", said: id, signed: text(data.query_id, "the signed query_id") },
    { field: "status", said: claim.status, signed: signedQueryStatus(data) },
    { field: "target", said: target, signed: text(contract, "the signed contract_address") },
  );
}

/** A result means completed, an error failed, and exactly one of them is there. */
function signedQueryStatus(data: Fields): string {
  const completed = isObject(data.result);
  const failed = isObject(data.error);
  if (completed === failed) {
    throw new Rejection("malformed_event", "what is signed needs either a result or an error");
  }
  return completed ? "completed" : "failed";
}

/**
 * The same oracles sign what the platform says of operations and queries, and what a watcher of a service reports:
 * data of any shape. The signed service tells the two apart. What the platform names itself in an operation's status is
 * not documented: another name than `_crec` is refused, since nothing else signed tells it from a watcher's report.
 */
function requireSaidBy(whom: "the platform" | "a watcher", signed: Fields): void {
  if (whom === (isSaidByPlatform(signed) ? "the platform" : "a watcher")) return;
  const { service } = signed;
  const isNamed = typeof service === "string" && service !== "";
  const named = isNamed ? `the service ${JSON.stringify(service.slice(0, 40))}` : "no service";
  throw new Rejection("malformed_event", `what is signed was not said by ${whom}: it names ${named}`);
}

function isSaidByPlatform({ service, chain_event, data }: Fields): boolean {
  if (service !== undefined && service !== null && service !== "") return service === PLATFORM;
  // A watcher that names no service reports a log, and nothing but a log.
  return !isObject(chain_event) && isStatement(isObject(data) ? data : {});
}

function isStatement(data: Fields): boolean {
  const ofOperation = has(data, "wallet_operation_id") && has(data, "wallet_address") && has(data, "status");
  return ofOperation || (has(data, "query_id") && (has(data, "target") || has(data, "block_selection")));
}

/** Where no selector is signed, the signed chain id tells the chain, as far as one of the two is well known. */
function compareChain(claim: Claim, selector: string, signed: Fields): void {
  const log = isObject(signed.chain_event) ? signed.chain_event : {};
  if (present(signed.chain_selector)) {
    const signedSelector = integer(signed.chain_selector, "the signed chain_selector");
    claim.comparisons.push({ field: "chain_selector", said: selector, signed: signedSelector });
    return;
  }
  if (!present(log.chain_id)) return;
  const chainId = wholeDigits(log.chain_id);
  if (chainId === undefined) throw new Rejection("malformed_event", "the signed chain_id is not an integer");
  const known = KNOWN_CHAINS.find((chain) => chain.chainSelector === selector || chain.chainId === chainId);
  if (known === undefined) return;
  claim.comparisons.push(
    { field: "chain_selector", said: selector, signed: known.chainSelector },
    { field: "chain_selector", said: known.chainId, signed: chainId },
  );
}

/** Copies the signed text and the hash beside it into the claim; the object it holds is returned. */
function readSigned(claim: Claim, fields: Fields, name: string): Fields | undefined {
  const eventHash = fields.event_hash ?? undefined;
  if (eventHash !== undefined) claim.eventHash = text(eventHash, "event_hash");
  const signedText = fields[name] ?? undefined;
  if (signedText === undefined) return undefined;
  claim.signedText = text(signedText, name);
  const signed = parseSignedText(claim.signedText);
  if (signed === undefined) throw new Rejection("malformed_event", `${name} does not parse`);
  return signed;
}

/** Items of another shape are skipped: other kinds of proof may stand beside this one. */
function readProofItems(proofs: unknown): ProofItem[] {
  if (proofs === undefined || proofs === null) return [];
  if (!Array.isArray(proofs)) throw new Rejection("malformed_event", "proofs is not a list");
  if (proofs.length > PROOF_LIMITS.proofs) throw new Rejection("malformed_event", "too many proofs");
  return proofs.flatMap(readProofItem);
}

function readProofItem(item: unknown): ProofItem[] {
  if (!isObject(item)) return [];
  const { alg, ocr_report: report, ocr_context: context, signatures } = item;
  if (typeof alg !== "string" || typeof report !== "string" || typeof context !== "string") return [];
  if (!Array.isArray(signatures)) return [];
  // One beyond the limit is enough to know that there are too many.
  const copy: unknown[] = signatures.slice(0, PROOF_LIMITS.signatures + 1);
  return copy.every((signature) => typeof signature === "string")
    ? [{ report, context, signatures: copy }]
    : [];
}

function has(fields: Fields, name: string): boolean {
  return Object.hasOwn(fields, name);
}

export function object(value: unknown, name: string): Fields {
  if (!isObject(value)) throw new Rejection("malformed_event", `${name} is not an object`);
  return value;
}

export function text(value: unknown, name: string): string {
  if (typeof value !== "string") throw new Rejection("malformed_event", `${name} is not text`);
  return value;
}

/** Ids are compared as numbers: decimal digits without leading zeros. */
export function integer(value: unknown, name: string): string {
  const digits = Number.isSafeInteger(value) ? String(value) : value;
  if (typeof digits !== "string" || !/^\d+$/.test(digits)) {
    throw new Rejection("malformed_event", `${name} is not an integer`);
  }
  return digits.replace(/^0+(?=\d)/, "");
}
