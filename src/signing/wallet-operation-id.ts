import { randomBytes } from "node:crypto";
import * as Hash from "ox/Hash";
import * as Hex from "ox/Hex";
import { checksumAddress } from "../abi/index.ts";
import { ArgumentError } from "../errors.ts";

/**
 * A fresh operation id: 128 random bits as decimal text, since two clocks may show the same time.
 * @example
 * const wallet_operation_id = randomWalletOperationId();
 */
export function randomWalletOperationId(): string {
  return BigInt(`0x${randomBytes(16).toString("hex")}`).toString();
}

/** Sets these ids apart from any other hash of such a text. */
const PURPOSE = "wallet operation id of a key";

/**
 * The operation id that belongs to a key of the caller's own, such as an order number: always the same for the
 * same key, wallet and network, another for each of these that differs. A wallet takes an id once, so whatever
 * carries this id acts at most once.
 *
 * It is keccak256 of the UTF-8 text `wallet operation id of a key`, the chain selector's digits, the address in
 * lower case, and the key, with a zero character between them; as decimal text.
 *
 * @throws ArgumentError `INVALID_ARGUMENT` for a blank key, or a selector that is no number; `INVALID_ADDRESS`.
 * @example
 * walletOperationIdOf("order 4711", { chainSelector: network, address: wallet.address }); // → "…"
 */
export function walletOperationIdOf(key: string, wallet: { chainSelector: string; address: string }): string {
  if (typeof key !== "string" || key.trim() === "" || !key.isWellFormed()) {
    throw new ArgumentError("operation_key", "The operation key must be text, and not blank.");
  }
  if (!/^\d{1,20}$/.test(wallet.chainSelector)) {
    throw new ArgumentError("chain_selector", "The chain selector must be decimal digits, as text.");
  }
  const network = BigInt(wallet.chainSelector).toString();
  const address = checksumAddress(wallet.address, "address").toLowerCase();
  const text = [PURPOSE, network, address, key].join("\0");
  return BigInt(Hash.keccak256(Hex.fromString(text), { as: "Hex" })).toString();
}
