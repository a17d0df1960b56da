import { type Comparison, integer, object, text } from "./claim.ts";
import { Rejection } from "./reasons.ts";
import { parseSignedText } from "./signed-text.ts";

/** Which operation a status must be of. Its id at the service is not signed, so a status is known by these. */
export type AskedOperation = {
  /** Decimal, as it was signed by the wallet's owner. */
  walletOperationId: string;
  /** The wallet's address. */
  wallet: string;
  chainSelector: string;
};

/**
 * The operation asked for beside the one that the signed text is about.
 * @throws {Rejection} `unsigned_field_mismatch` when it is not about an operation.
 */
export function compareWithOperation(asked: AskedOperation, type: string, signedText: string): Comparison[] {
  if (type !== "operation.status")
    throw new Rejection("unsigned_field_mismatch", "it is not about an operation");
  const { data, chain_selector } = object(parseSignedText(signedText), "the signed text");
  const { wallet_operation_id, wallet_address } = object(data, "the signed data");
  const field = "it is about another operation than was asked";
  const [id, wallet] = [
    integer(wallet_operation_id, "the signed id"),
    text(wallet_address, "the signed address"),
  ];
  return [
    { field, said: integer(asked.walletOperationId, "walletOperationId"), signed: id },
    { field, said: text(asked.wallet, "wallet"), signed: wallet },
    // Not every service signs it. The id alone is drawn for one wallet on one network.
    ...(chain_selector === undefined || chain_selector === null
      ? []
      : [
          {
            field,
            said: integer(asked.chainSelector, "chainSelector"),
            signed: integer(chain_selector, field),
          },
        ]),
  ];
}
