import { BadResponseError } from "../../http/index.ts";
import { canonicalAddress, type Operation } from "../../protocol/index.ts";
import type { OperationRequest } from "./operation-request.ts";

/** A field of an answer, beside that of the request. What is undefined is not known, and not compared. */
export type AnsweredField = readonly [what: string, is: string | undefined, requested: string | undefined];

/**
 * How a resource differs from the requested one, in words: `its owner is 0x…, not 0x…`. Undefined when it does not.
 */
export function differencesOf(fields: readonly AnsweredField[]): string | undefined {
  const differences = fields.flatMap(([what, is, requested]) =>
    is === undefined || requested === undefined || is === requested
      ? []
      : [`its ${what} is ${is || "none"}, not ${requested || "none"}`],
  );
  return differences.length > 0 ? differences.join("; ") : undefined;
}

/**
 * Refuses the answer to another request, as a cache or a proxy may give it: what became of this one is then not known, as
 * after a lost answer.
 * @throws {BadResponseError} `BAD_RESPONSE`.
 */
export function requireAnswerTo(noun: string, fields: readonly AnsweredField[]): void {
  const differences = differencesOf(fields);
  if (differences === undefined) return;
  const message = `The answer belongs to another ${noun} than the requested one: ${differences}. Check whether a proxy or a cache mixes up answers.`;
  throw new BadResponseError("BAD_RESPONSE", message);
}

/** The same for an operation: its id in the wallet, wallet, network and calls. */
export function requireAnswerToOperation(
  shown: Partial<Operation>,
  requested: Pick<
    OperationRequest,
    "wallet_operation_id" | "address" | "chain_selector" | "deadline" | "transactions"
  >,
): void {
  const { transactions = [] } = shown;
  requireAnswerTo("operation", [
    ["wallet operation id", textOf(shown.wallet_operation_id), textOf(requested.wallet_operation_id)],
    ["wallet", addressOf(shown.address), canonicalAddress(requested.address)],
    ["network", textOf(shown.chain_selector), requested.chain_selector],
    ["deadline", textOf(shown.deadline), textOf(requested.deadline)],
    [
      "list of calls",
      transactions.length === 0 ? undefined : callsOf(transactions),
      callsOf(requested.transactions),
    ],
  ]);
}

/** Whether an answer says which operation it is about. */
export function saysWhich({
  wallet_operation_id,
  address,
  chain_selector,
  transactions,
}: Partial<Operation>): boolean {
  const isNamed = wallet_operation_id !== undefined && address !== undefined && chain_selector !== undefined;
  return isNamed && transactions !== undefined && transactions.length > 0;
}

/** An address as it is compared, where there is one. */
export function addressOf(address: unknown): string | undefined {
  return typeof address === "string" ? canonicalAddress(address) : undefined;
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}

function callsOf(transactions: OperationRequest["transactions"]): string {
  return transactions.map(({ to, value, data }) => `${to} ${value} ${data}`.toLowerCase()).join(", ");
}
