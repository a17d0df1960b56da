import * as Address from "ox/Address";
import * as Hash from "ox/Hash";
import { text as textKind } from "../options/index.ts";
import type { Address as AddressText } from "../protocol/index.ts";
import { bytesToHex } from "./hex.ts";

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
