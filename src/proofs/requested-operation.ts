import { present } from "./fields.ts";
import { Rejection } from "./reasons.ts";
import { integer, object, text } from "./required-fields.ts";
import type { Comparison, SignedText, UnverifiedEvent } from "./unverified-event.ts";

/** The operation that a status must be about. The service's id of it is not signed, so these identify it. */
export type RequestedOperation = {
  /** Decimal, as the wallet's owner signed it. */
  walletOperationId: string;
  /** The wallet's address. */
  wallet: string;
  /** The wallet's network. */
  chainSelector: string;
};

/**
 * The requested operation compared with the one that the signed text is about.
 * @throws {Rejection} `unsigned_field_mismatch` when the text is not about an operation.
 */
export function compareWithOperation(
  requested: RequestedOperation,
  { type }: UnverifiedEvent,
  { content }: SignedText,
): Comparison[] {
  if (type !== "operation.status") {
    throw new Rejection("unsigned_field_mismatch", "it is not about an operation");
  }
  const { data, chain_selector } = content;
  const { wallet_operation_id, wallet_address } = object(data, "the signed data");
  const field = "it is about another operation than the requested one";
  const [id, wallet] = [
    integer(wallet_operation_id, "the signed id"),
    text(wallet_address, "the signed address"),
  ];
  return [
    { field, unsigned: integer(requested.walletOperationId, "walletOperationId"), signed: id },
    { field, unsigned: text(requested.wallet, "wallet"), signed: wallet },
    // Not every service signs it. The id is unique to one wallet on one network.
    ...(present(chain_selector)
      ? [
          {
            field,
            unsigned: integer(requested.chainSelector, "chainSelector"),
            signed: integer(chain_selector, "the signed chain_selector"),
          },
        ]
      : []),
  ];
}
