import Type from "typebox";
import { checksumAddress } from "viem";
import {
  callGuardedToken,
  type GuardedCall,
  ROLES,
  type Role,
  TransactionRefused,
} from "../../chain/demo/transactions.ts";
import type { Context } from "../../context.ts";
import { invalid } from "../../errors.ts";
import type { Routes } from "../routes.ts";
import { Address, Amount, amountOf, oneOf, STRICT } from "../schemas.ts";

/** What each action needs besides its name. */
const NEEDS = {
  mint: ["to", "amount"],
  transfer: ["to", "amount"],
  approve: ["to", "amount"],
  burn: ["amount"],
  pause: [],
  unpause: [],
  grantRole: ["role", "to"],
  revokeRole: ["role", "to"],
  transferOwnership: ["to"],
  upgradeTo: ["to"],
} as const satisfies Record<GuardedCall["action"], ReadonlyArray<"to" | "amount" | "role">>;
const ACTIONS = Object.keys(NEEDS) as GuardedCall["action"][];

const Call = Type.Object(
  {
    action: oneOf(ACTIONS),
    to: Type.Optional(Address),
    amount: Type.Optional(Amount),
    role: Type.Optional(oneOf(ROLES)),
  },
  { title: "GuardedTokenCall", ...STRICT },
);
const Called = Type.Object(
  {
    transaction_hash: Type.String(),
    block_number: Type.Integer(),
    contract: Type.String(),
    from: Type.String(),
    action: Type.String(),
  },
  { title: "GuardedTokenCalled", description: "the call, which is in a block" },
);

/** Makes the events of the demo contract GuardedToken happen: its administrator is the service's account. */
export function guardedTokenRoute(app: Routes, context: Context): void {
  app.post(
    "/guarded-token",
    {
      schema: {
        tags: ["local"],
        operationId: "callGuardedToken",
        summary: "Calls the demo contract GuardedToken as its administrator, by a real transaction",
        body: Call,
        answers: { 200: Called },
      },
    },
    async ({ body }) => {
      try {
        const { hash, blockNumber } = await callGuardedToken(context, callOf(body));
        return {
          transaction_hash: hash,
          block_number: blockNumber,
          contract: context.contracts.GuardedToken,
          from: context.relayer.address,
          action: body.action,
        };
      } catch (error) {
        if (!(error instanceof TransactionRefused)) throw error;
        throw invalid(`This call of GuardedToken is not possible: ${error.message}.`);
      }
    },
  );
}

type Body = { action: GuardedCall["action"]; to?: string; amount?: string; role?: Role };

/** @throws ApiError 400 for a value that is missing, or that the action does not have. */
function callOf({ action, ...given }: Body): GuardedCall {
  const needed: readonly string[] = NEEDS[action];
  const missing = needed.filter((name) => !(name in given));
  if (missing.length > 0) throw invalid(`${action} needs ${missing.join(" and ")}.`);
  const unused = Object.keys(given).filter((name) => !needed.includes(name));
  if (unused.length > 0) throw invalid(`${action} does not use ${unused.join(" and ")}.`);
  return {
    action,
    ...(given.to === undefined ? {} : { to: checksumAddress(given.to as `0x${string}`) }),
    ...(given.amount === undefined ? {} : { amount: amountOf(given.amount) }),
    ...(given.role === undefined ? {} : { role: given.role }),
  } as GuardedCall;
}
