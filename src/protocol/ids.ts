/** Bytes as text: `0x` and an even number of hex digits. */
export type Hex = `0x${string}`;
/** An address of an EVM chain: `0x` and 40 hex digits. Compared without case, shown with checksum. */
export type Address = `0x${string}`;

/** The form of an address. Its checksum is checked by `checksumAddress`. */
export const ADDRESS_PATTERN = /^0x[0-9a-fA-F]{40}$/;
/** The address without an owner, which stands for "no address". */
export const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";

/** Whether a text is an address, in any case. */
export function isAddress(text: string): boolean {
  return ADDRESS_PATTERN.test(text);
}

/** An address as it is compared: in lower case. */
export function canonicalAddress(address: string): string {
  return address.toLowerCase();
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID, in any case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** An id as it is compared and sent: a UUID in lower case. Other ids, such as `org_…` and `offset:…`, keep their case. */
export function canonicalId(id: string): string {
  if (!isUuid(id)) return id;
  const lower = id.toLowerCase();
  // Not a second copy of each of many ids that are remembered.
  return lower === id ? id : lower;
}

/** Whether two ids are the same, however they are written. */
export function isSameId(one: string, other: string): boolean {
  return canonicalId(one) === canonicalId(other);
}

const WORKFLOW_ID = /^[0-9a-f]{64}$/;

/** The id of a workflow as reports and watchers name it: 64 hex digits in lower case. Undefined for any other text. */
export function canonicalWorkflowId(text: string): string | undefined {
  const id = text.trim().toLowerCase().replace(/^0x/, "");
  return WORKFLOW_ID.test(id) ? id : undefined;
}
