import { randomBytes } from "node:crypto";
import * as Hash from "ox/Hash";
import * as Hex from "ox/Hex";
import { checksumAddress } from "../abi/index.ts";
import { ArgumentError } from "../errors.ts";
import { anything, like } from "../options/index.ts";

/**
 * A new operation id: 128 random bits as decimal text. Ids made from the time may occur twice.
 * @example
 * const wallet_operation_id = randomWalletOperationId();
 */
export function randomWalletOperationId(): string {
  return BigInt(`0x${randomBytes(16).toString("hex")}`).toString();
}

/** Its values have checks of their own. */
const walletKind = like<{ chainSelector: string; address: string }>({
  chainSelector: anything(),
  address: anything(),
});

/** Makes these ids different from any other hash of the same values. */
const PURPOSE = "wallet operation id of a key";

/**
 * The operation id for an idempotency key of the program, such as an order number: always the same for the same key,
 * wallet and network. A wallet takes each id once, so an operation with this id is executed at most once.
 *
 * It is the keccak256 hash, as decimal text, of the UTF-8 text `wallet operation id of a key`, the chain selector's
 * digits, the address in lower case, and the key, joined by zero characters.
 *
 * @throws ArgumentError `INVALID_ARGUMENT` for a blank key, or a selector that is not a number; `INVALID_ADDRESS`.
 * @example
 * walletOperationIdOf("order 4711", { chainSelector: network, address: wallet.address }); // → "…"
 */
export function walletOperationIdOf(key: string, wallet: { chainSelector: string; address: string }): string {
  if (typeof key !== "string" || key.trim() === "" || !key.isWellFormed()) {
    throw new ArgumentError("operation_key", "The operation key must be text, and not blank.");
  }
  const { chainSelector } = walletKind(wallet, "wallet");
  if (typeof chainSelector !== "string" || !/^\d{1,20}$/.test(chainSelector)) {
    throw new ArgumentError("chain_selector", "The chain selector must be decimal digits, as text.");
  }
  const network = BigInt(chainSelector).toString();
  const address = checksumAddress(wallet.address, "address").toLowerCase();
  const text = [PURPOSE, network, address, key].join("\0");
  return BigInt(Hash.keccak256(Hex.fromString(text), { as: "Hex" })).toString();
}
