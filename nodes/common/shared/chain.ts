import { ZERO_ADDRESS } from "../../../src/protocol/ids.ts";

/** The network of the local service: a development chain, which no public service has. */
export const LOCAL_NETWORK = "7759470850252068959";

type Function = { signature: string };
type Event = { signature: string; inputs: ReadonlyArray<{ indexed?: boolean }> };

/**
 * Whether a contract with these functions and events has amounts with decimals, as an ERC-20 token does. The Transfer
 * event of an ERC-721 has the same signature, with a token id as its third topic.
 */
export function looksLikeToken(functions: readonly Function[], events: readonly Event[]): boolean {
  return (
    functions.some(({ signature }) => signature === "decimals()") ||
    events.some(
      ({ signature, inputs }) =>
        signature === "Transfer(address,address,uint256)" && inputs[2]?.indexed !== true,
    )
  );
}

/** The functions of an ERC-20 token that take or give amounts of this token, and of no other. */
const TOKEN_CALLS: ReadonlySet<string> = new Set([
  "0xa9059cbb", // transfer(address,uint256)
  "0x23b872dd", // transferFrom(address,address,uint256)
  "0x095ea7b3", // approve(address,uint256)
  "0x39509351", // increaseAllowance(address,uint256)
  "0xa457c2d7", // decreaseAllowance(address,uint256)
  "0x70a08231", // balanceOf(address)
  "0xdd62ed3e", // allowance(address,address)
  "0x18160ddd", // totalSupply()
]);

/** Whether call data, or its first four bytes, is a call of such a function. */
export function isTokenCall(data = ""): boolean {
  return TOKEN_CALLS.has(data.slice(0, 10).toLowerCase());
}

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

/** Whether text may be given for `bytes`, or for as many bytes as `size` says: as `textToBytes` of the library. */
export function fitsBytes(text: string, size: string): boolean {
  const trimmed = text.trim();
  if (/^0x/i.test(trimmed)) {
    return /^0x(?:[0-9a-f]{2})*$/i.test(trimmed) && (size === "" || trimmed.length === 2 + 2 * Number(size));
  }
  if (size === "" && /^(?:[0-9a-f]{2}){20,}$/i.test(text)) return false;
  const count = new TextEncoder().encode(text).length;
  return count > 0 && (size === "" || count <= Number(size));
}
