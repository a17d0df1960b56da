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
