import Type, { type Static } from "typebox";
import { checksumAddress } from "viem";
import { type Hex, LIMITS, type WireTransaction } from "../../../src/protocol/index.ts";
import { invalid } from "../errors.ts";
import { TransactionPreview } from "./resources.ts";
import { Address, ChainSelector } from "./schemas.ts";

const UINT256_LIMIT = 2n ** 256n;

const Uint256 = Type.String({
  pattern: `^[0-9]{1,${LIMITS.walletOperationIdDigits}}$`,
  description: `a whole number in at most ${LIMITS.walletOperationIdDigits} decimal digits`,
});
const Signature = Type.String({
  pattern: "^0x([0-9a-fA-F]{130}|[0-9a-fA-F]{512})$",
  description: "a signature: 0x and 130 hex digits (ECDSA) or 512 (RSA)",
});
const Digest = Type.String({ pattern: "^0x[0-9a-fA-F]{64}$", description: "a digest: 0x and 64 hex digits" });

export const NewOperation = Type.Object(
  {
    chain_selector: ChainSelector,
    address: Address,
    wallet_operation_id: Uint256,
    deadline: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "a time in whole Unix seconds, or 0 for none",
    }),
    transactions: Type.Array(
      Type.Object(
        {
          to: Address,
          value: Uint256,
          data: Type.String({
            pattern: "^(0x)?([0-9a-fA-F]{2})*$",
            description: "call data in whole bytes of hex",
          }),
          preview: Type.Optional(TransactionPreview),
        },
        { additionalProperties: false, title: "NewTransaction" },
      ),
      {
        minItems: 1,
        maxItems: LIMITS.transactionsPerOperation,
        description: `a list of 1 to ${LIMITS.transactionsPerOperation} transactions`,
      },
    ),
    signature: Type.Optional(Signature),
  },
  { additionalProperties: false, title: "NewOperation" },
);

export const OperationChange = Type.Union(
  [
    Type.Object(
      { status: Type.Literal("accepted"), signature: Signature, digest: Digest },
      { additionalProperties: false, title: "FinalizeOperation" },
    ),
    Type.Object(
      { status: Type.Literal("cancelled") },
      { additionalProperties: false, title: "CancelOperation" },
    ),
  ],
  { description: 'either {"status": "accepted", "signature", "digest"} or {"status": "cancelled"}' },
);

/** @throws ApiError 400 when its value is too large. */
export function wireTransaction(
  transaction: Static<typeof NewOperation>["transactions"][number],
  index: number,
): WireTransaction & { preview_snapshot?: unknown } {
  const { preview, ...call } = transaction;
  return {
    to: checksumAddress(call.to as Hex),
    value: uint256(`transactions[${index}].value`, call.value),
    data: `0x${call.data.replace(/^0x/, "").toLowerCase()}`,
    ...(preview === undefined ? {} : { preview_snapshot: preview }),
  };
}

/**
 * The number without leading zeros.
 *
 * @throws ApiError 400 when it is too large.
 */
export function uint256(field: string, digits: string): string {
  const number = BigInt(digits);
  if (number < UINT256_LIMIT) return String(number);
  throw invalid(`${field} must fit 256 bits.`);
}
