import { ZERO_ADDRESS } from "../../../src/protocol/ids.ts";

/** A call as it is signed: call data is hex. */
type EncodedCall = { to: string; value: string | bigint | number; data: string };

/** Who would receive tokens, or the coin, and most likely should not. */
export type UnusualRecipient = {
  /** `coin`: the zero address receives the coin. */
  recipient: "zero" | "called" | "wallet" | "coin";
  /** The name of the function that is called. */
  function?: string;
};

/** By selector, with the place of the recipient; before it is the one whose tokens are moved. */
const TRANSFERS: Readonly<Record<string, { name: string; place: 0 | 1 }>> = {
  // (address,uint256)
  a9059cbb: { name: "transfer", place: 0 },
  // (address,address,uint256)
  "23b872dd": { name: "transferFrom", place: 1 },
  // (address,address,uint256), with bytes, and of ERC-1155
  "42842e0e": { name: "safeTransferFrom", place: 1 },
  b88d4fde: { name: "safeTransferFrom", place: 1 },
  f242432a: { name: "safeTransferFrom", place: 1 },
};

const WORD = 64;

/**
 * What is unusual about the recipient of a call; `undefined` for all else, as for a coin that a token contract takes. A
 * wallet may collect tokens of others, so `transferFrom` to it counts only if they are its own.
 *
 * @param wallet its address; another text, as a name, is no recipient
 */
export function unusualRecipient(
  { to, value, data }: EncodedCall,
  wallet: string | undefined,
): UnusualRecipient | undefined {
  const hex = data.slice(2).toLowerCase();
  const called = to.toLowerCase();
  if (hex === "") {
    return called === ZERO_ADDRESS && isPositive(value) ? { recipient: "coin" } : undefined;
  }
  const selector = hex.slice(0, 8);
  const transfer = Object.hasOwn(TRANSFERS, selector) ? TRANSFERS[selector] : undefined;
  if (!transfer) return undefined;
  const receiver = addressAt(hex, transfer.place);
  const own = wallet?.toLowerCase();
  const found = (recipient: UnusualRecipient["recipient"]) => ({ recipient, function: transfer.name });
  if (receiver === ZERO_ADDRESS) return found("zero");
  if (receiver === called) return found("called");
  // The first address is that of the recipient, or of the one whose tokens are moved.
  if (receiver !== undefined && receiver === own && addressAt(hex, 0) === own) return found("wallet");
  return undefined;
}

/** A parameter; `undefined` if the data ends before, as no contract accepts it then. */
function addressAt(hex: string, place: number): string | undefined {
  const end = 8 + (place + 1) * WORD;
  return hex.length < end ? undefined : `0x${hex.slice(end - 40, end)}`;
}

/** Decimal or hex text. */
function isPositive(value: EncodedCall["value"]): boolean {
  return /[1-9a-f]/i.test(String(value).trim().replace(/^0x/i, ""));
}
