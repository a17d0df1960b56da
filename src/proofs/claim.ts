import { KNOWN_CHAINS } from "../protocol/index.ts";
import { Rejection } from "./reasons.ts";
import { type Fields, isObject, PROOF_LIMITS, parseSignedText } from "./signed-text.ts";

/** A field beside the signed bytes, and what the signed bytes say. Compared without case. */
export type Comparison = { field: string; said: string; signed: string };

/** What an event claims, copied out of it once, so that later checks touch nothing foreign. */
export type Claim = {
  type: string;
  status?: string;
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
  const { headers, payload, channel_id, type } = object(event, "the event");
  const header = object(headers, "headers");
  const claim: Claim = {
    type: text(header.type ?? type, "type"),
    comparisons: [],
    proofs: readProofItems(header.proofs),
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
  text(fields.watcher_id, "watcher_id");
  const selector = integer(fields.chain_selector, "chain_selector");
  const signed = readSigned(claim, fields, "verifiable_event");
  if (signed === undefined) throw new Rejection("malformed_event", "verifiable_event is missing");
  text(signed.name, "the signed name");
  if (signed.chain_event === undefined) {
    const data = isObject(signed.data) ? signed.data : {};
    const isStatus = has(data, "wallet_operation_id") && has(data, "wallet_address") && has(data, "status");
    const isQuery = has(data, "query_id") && has(data, "block_selection");
    if (isStatus || isQuery) throw new Rejection("malformed_event", "what is signed is no contract event");
  } else {
    const log = object(signed.chain_event, "the signed chain_event");
    if (signed.chain_selector === undefined) compareChainId(claim, selector, log);
  }
  compareSelector(claim, selector, signed);
}

function readOperationStatus(claim: Claim, fields: Fields): void {
  claim.status = text(fields.status, "status");
  text(fields.operation_id, "operation_id");
  const id = integer(fields.wallet_operation_id, "wallet_operation_id");
  const address = text(fields.address, "address");
  const selector = integer(fields.chain_selector, "chain_selector");
  const signed = readSigned(claim, fields, "verifiable_event");
  if (signed === undefined) return;
  const data = object(signed.data, "the signed data");
  compareSelector(claim, selector, signed);
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
  const signed = readSigned(claim, fields, "verifiable_result");
  if (signed === undefined) return;
  const data = object(signed.data, "the signed data");
  const contract = object(data.target, "the signed target").contract_address;
  claim.signedChannelId = text(data.channel_id, "the signed channel_id");
  compareSelector(claim, selector, signed);
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

function compareSelector(claim: Claim, said: string, signed: Fields): void {
  if (signed.chain_selector === undefined) return;
  const selector = integer(signed.chain_selector, "the signed chain_selector");
  claim.comparisons.push({ field: "chain_selector", said, signed: selector });
}

/** Where no selector is signed, the signed chain id tells the chain, as far as one of the two is well known. */
function compareChainId(claim: Claim, selector: string, log: Fields): void {
  if (log.chain_id === undefined) return;
  const chainId = integer(log.chain_id, "the signed chain_id");
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
