import * as Address from "ox/Address";
import * as Hash from "ox/Hash";
import { CrecError } from "../errors.ts";
import { text as textKind } from "../options/index.ts";
import type { Address as AddressText, Hex } from "../protocol/index.ts";
import { bytesToHex } from "./fields.ts";

/** The bytes of each field of an OCR report, as `[from, to)`. The payload is the rest. */
export const REPORT_LAYOUT = {
  version: [0, 1],
  workflowExecutionId: [1, 33],
  timestamp: [33, 37],
  donId: [37, 41],
  donConfigVersion: [41, 45],
  workflowCid: [45, 77],
  workflowName: [77, 87],
  workflowOwner: [87, 107],
  reportId: [107, 109],
} as const;

export const REPORT_PAYLOAD_START = 109;
export const EVENT_HASH_BYTES = 32;
/** The shortest report: all fields, and the event hash as the payload. */
export const REPORT_MIN_BYTES = REPORT_PAYLOAD_START + EVENT_HASH_BYTES;

/** The fields of a report. Hex is lower case; `timestamp` in Unix seconds. */
export type OcrReport = {
  version: number;
  workflowExecutionId: Hex;
  timestamp: number;
  donId: number;
  donConfigVersion: number;
  workflowCid: Hex;
  workflowName: Hex;
  workflowOwner: Hex;
  reportId: Hex;
  /** All bytes after the other fields. The last 32 are the event hash. */
  payload: Hex;
  eventHash: Hex;
};

/** The fields of a report to build. Those left out are zero, and the version is 1. */
export type ReportFields = {
  workflowOwner: Uint8Array;
  eventHash: Uint8Array;
  workflowExecutionId?: Uint8Array;
  workflowCid?: Uint8Array;
  workflowName?: Uint8Array;
  reportId?: Uint8Array;
  version?: number;
  timestamp?: number;
  donId?: number;
  donConfigVersion?: number;
};

/**
 * Reads a report.
 * @throws {CrecError} `MALFORMED_PROOF` when it is shorter than 141 bytes.
 */
export function parseReport(bytes: Uint8Array): OcrReport {
  if (bytes.length < REPORT_MIN_BYTES) {
    throw new CrecError(
      "MALFORMED_PROOF",
      `The OCR report has ${bytes.length} bytes and needs at least ${REPORT_MIN_BYTES}; request the event from the service again.`,
    );
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const hex = (field: keyof typeof REPORT_LAYOUT): Hex => bytesToHex(bytes.subarray(...REPORT_LAYOUT[field]));
  const uint32 = (field: keyof typeof REPORT_LAYOUT): number => view.getUint32(REPORT_LAYOUT[field][0]);
  return {
    version: view.getUint8(REPORT_LAYOUT.version[0]),
    workflowExecutionId: hex("workflowExecutionId"),
    timestamp: uint32("timestamp"),
    donId: uint32("donId"),
    donConfigVersion: uint32("donConfigVersion"),
    workflowCid: hex("workflowCid"),
    workflowName: hex("workflowName"),
    workflowOwner: hex("workflowOwner"),
    reportId: hex("reportId"),
    payload: bytesToHex(bytes.subarray(REPORT_PAYLOAD_START)),
    eventHash: bytesToHex(bytes.subarray(-EVENT_HASH_BYTES)),
  };
}

/**
 * Builds the report of one event, with the event's hash as the payload.
 * @throws {RangeError} when a field has the wrong number of bytes or does not fit.
 */
export function buildReport(fields: ReportFields): Uint8Array {
  const report = new Uint8Array(REPORT_MIN_BYTES);
  const view = new DataView(report.buffer);
  const place = (name: string, bytes: Uint8Array | undefined, from: number, to: number): void => {
    if (bytes === undefined) return;
    if (bytes.length !== to - from) {
      throw new RangeError(`${name} must have ${to - from} bytes, not ${bytes.length}.`);
    }
    report.set(bytes, from);
  };
  const number = (name: string, value: number, bytes: 1 | 4, from: number): void => {
    if (!Number.isInteger(value) || value < 0 || value >= 2 ** (8 * bytes)) {
      throw new RangeError(`${name} must fit ${bytes} byte(s).`);
    }
    if (bytes === 1) view.setUint8(from, value);
    else view.setUint32(from, value);
  };
  number("version", fields.version ?? 1, 1, REPORT_LAYOUT.version[0]);
  number("timestamp", fields.timestamp ?? 0, 4, REPORT_LAYOUT.timestamp[0]);
  number("donId", fields.donId ?? 0, 4, REPORT_LAYOUT.donId[0]);
  number("donConfigVersion", fields.donConfigVersion ?? 0, 4, REPORT_LAYOUT.donConfigVersion[0]);
  place("workflowExecutionId", fields.workflowExecutionId, ...REPORT_LAYOUT.workflowExecutionId);
  place("workflowCid", fields.workflowCid, ...REPORT_LAYOUT.workflowCid);
  place("workflowName", fields.workflowName, ...REPORT_LAYOUT.workflowName);
  place("workflowOwner", fields.workflowOwner, ...REPORT_LAYOUT.workflowOwner);
  place("reportId", fields.reportId, ...REPORT_LAYOUT.reportId);
  place("eventHash", fields.eventHash, REPORT_PAYLOAD_START, REPORT_MIN_BYTES);
  return report;
}

/** What each oracle signs: keccak256(keccak256(report) ‖ context), 32 bytes. */
export function reportDigest(
  report: Uint8Array,
  context: Uint8Array,
  keccak256: (bytes: Uint8Array) => Uint8Array = (bytes) => Hash.keccak256(bytes, { as: "Bytes" }),
): Uint8Array {
  const reportHash = keccak256(report);
  const message = new Uint8Array(reportHash.length + context.length);
  message.set(reportHash);
  message.set(context, reportHash.length);
  return keccak256(message);
}

const DOMAIN = "Chainlink Runtime Environment GenerateWorkflowOwnerAddress\0";
const MARK = Uint8Array.of(0xff);
const PADDING = new Uint8Array(84);

/**
 * The workflow owner in the reports of an organization, checksummed. The lengths of both texts are hashed too, so
 * `("x", "yz")` and `("xy", "z")` have different owners.
 * @example
 * const owner = workflowOwnerFromOrgId("org_example00000000000", "1");
 * owner; // → "0x61c4Db60E1A220001201D6f4ec1244Bf1F0b56c6"
 */
export function workflowOwnerFromOrgId(orgId: string, creTenantId: string): AddressText {
  const seed = Buffer.concat([
    MARK,
    PADDING,
    Buffer.from(DOMAIN),
    lengthAndText(textKind(creTenantId, "creTenantId")),
    lengthAndText(textKind(orgId, "orgId")),
  ]);
  const hash = Hash.keccak256(new Uint8Array(seed), { as: "Bytes" });
  return Address.checksum(bytesToHex(hash.subarray(0, 20)));
}

function lengthAndText(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(bytes.length));
  return Buffer.concat([length, bytes]);
}
