import type { Hex } from "../../../src/protocol/index.ts";
import { optionalText, type Row } from "./rows.ts";

/** A signed transaction, stored so that the same one can be broadcast again. */
export type SentTransaction = { hash: Hex; raw: Hex };

/** The transaction in the columns `transaction_hash` and `raw_transaction`. */
export function sentTransaction(row: Row): SentTransaction | undefined {
  const hash = optionalText(row, "transaction_hash");
  const raw = optionalText(row, "raw_transaction");
  return hash === undefined || raw === undefined ? undefined : { hash: hash as Hex, raw: raw as Hex };
}
