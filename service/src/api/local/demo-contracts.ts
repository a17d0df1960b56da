import Type from "typebox";
import { checksumAddress } from "viem";
import type { Hex } from "../../../../src/protocol/index.ts";
import { callDta, callDvp, type DtaCall, type DvpCall } from "../../chain/demo/settlements.ts";
import {
  callGuardedToken,
  type GuardedCall,
  type Mined,
  ROLES,
  type Role,
  TransactionRefused,
} from "../../chain/demo/transactions.ts";
import type { Context } from "../../context.ts";
import { invalid } from "../../errors.ts";
import { documented } from "../openapi.ts";
import type { Routes } from "../routes.ts";
import { Address, Amount, oneOf, STRICT, uint256 } from "../schemas.ts";

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

const GuardedTokenBody = Type.Object(
  {
    action: oneOf(ACTIONS),
    to: Type.Optional(Address),
    amount: Type.Optional(Amount),
    role: Type.Optional(oneOf(ROLES)),
  },
  { title: "GuardedTokenCall", ...STRICT },
);
const Hash = Type.String({ pattern: "^0x[0-9a-fA-F]{64}$", description: "0x and 64 hex digits" });
const LONGEST_SECONDS = 31_536_000;
const ONE_HOUR = 3600;
const USUAL_AMOUNT = 1_000_000_000_000_000_000n;

const DvpBody = Type.Object(
  {
    action: oneOf(["open", "accept", "settle", "cancel"] as const),
    settlement_hash: Type.Optional(Hash),
    executor: Type.Optional(Address),
    expires_in: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LONGEST_SECONDS,
        description: "seconds from now, 0 for never, a year at most",
      }),
    ),
  },
  { title: "DvpCall", ...STRICT },
);
const DtaBody = Type.Object(
  {
    action: oneOf(["subscribe", "redeem", "process", "complete", "fail", "cancel"] as const),
    request_id: Type.Optional(Hash),
    amount: Type.Optional(Amount),
  },
  { title: "DtaCall", ...STRICT },
);
const CALLED = {
  transaction_hash: Type.String(),
  block_number: Type.Integer(),
  contract: Type.String(),
  from: Type.String(),
  action: Type.String(),
};
const IN_BLOCK = "the call, which is in a block";
const GuardedTokenCalled = Type.Object(CALLED, { title: "GuardedTokenCalled", description: IN_BLOCK });
const DvpCalled = Type.Object(
  { ...CALLED, settlement_id: Type.String(), settlement_hash: Type.String() },
  { title: "DvpCalled", description: IN_BLOCK },
);
const DtaCalled = Type.Object(
  { ...CALLED, request_id: Type.String() },
  { title: "DtaCalled", description: IN_BLOCK },
);

/**
 * Makes the events of the demo contracts happen: the service's account owns them, is their administrator, and plays all
 * parties.
 */
export function demoContractRoutes(app: Routes, context: Context): void {
  app.post(
    "/guarded-token",
    documented("local", "callGuardedToken", {
      summary: "Calls the demo contract GuardedToken as its administrator, by a real transaction",
      body: GuardedTokenBody,
      answers: { 200: GuardedTokenCalled },
    }),
    async ({ body }) => {
      const calling = callGuardedToken(context, guardedCall(body));
      return (await refusing(context, "GuardedToken", body.action, calling)).answer;
    },
  );
  app.post(
    "/dvp",
    documented("local", "callDvp", {
      summary: "Opens, accepts, settles or cancels a settlement of the demo contract DemoDvp",
      body: DvpBody,
      answers: { 200: DvpCalled },
    }),
    async ({ body }) => {
      const called = await refusing(context, "DemoDvp", body.action, callDvp(context, dvpCall(body)));
      const { settlementId, settlementHash } = called.params;
      return {
        ...called.answer,
        settlement_id: String(settlementId),
        settlement_hash: String(settlementHash),
      };
    },
  );
  app.post(
    "/dta",
    documented("local", "callDta", {
      summary: "Makes, processes, completes, fails or cancels a request of the demo contract DemoDta",
      body: DtaBody,
      answers: { 200: DtaCalled },
    }),
    async ({ body }) => {
      const called = await refusing(context, "DemoDta", body.action, callDta(context, dtaCall(body)));
      return { ...called.answer, request_id: String(called.params.requestId) };
    },
  );
}

type Body = { action: GuardedCall["action"]; to?: string; amount?: string; role?: Role };

/** @throws ApiError 400 for a value that is missing, or that the action does not have. */
function guardedCall({ action, ...given }: Body): GuardedCall {
  const needed: readonly string[] = NEEDS[action];
  const missing = needed.filter((name) => !(name in given));
  if (missing.length > 0) throw invalid(`${action} needs ${missing.join(" and ")}.`);
  const unused = Object.keys(given).filter((name) => !needed.includes(name));
  if (unused.length > 0) throw invalid(`${action} does not use ${unused.join(" and ")}.`);
  return {
    action,
    ...(given.to === undefined ? {} : { to: checksumAddress(given.to as Hex) }),
    ...(given.amount === undefined ? {} : { amount: uint256("amount", given.amount) }),
    ...(given.role === undefined ? {} : { role: given.role }),
  } as GuardedCall;
}

/** @throws ApiError 400 for a value that the action does not have. */
function dvpCall({ action, settlement_hash, expires_in, executor }: Type.Static<typeof DvpBody>): DvpCall {
  if (action === "open") {
    if (settlement_hash !== undefined) throw invalid("open does not use settlement_hash.");
    const by = executor === undefined ? {} : { executor: checksumAddress(executor as Hex) };
    return { action, expiresIn: expires_in ?? ONE_HOUR, ...by };
  }
  if (executor !== undefined) throw invalid(`${action} does not use executor.`);
  if (expires_in !== undefined) throw invalid(`${action} does not use expires_in.`);
  return { action, ...(settlement_hash === undefined ? {} : { hash: settlement_hash as Hex }) };
}

/** @throws ApiError 400 for a value that the action does not have. */
function dtaCall({ action, request_id, amount }: Type.Static<typeof DtaBody>): DtaCall {
  if (action === "subscribe" || action === "redeem") {
    if (request_id !== undefined) throw invalid(`${action} does not use request_id.`);
    return { action, amount: amount === undefined ? USUAL_AMOUNT : uint256("amount", amount) };
  }
  if (amount !== undefined) throw invalid(`${action} does not use amount.`);
  return { action, ...(request_id === undefined ? {} : { id: request_id as Hex }) };
}

/** @throws ApiError 400 with the reason when the contract or the chain refuses the call. */
async function refusing<Called extends Mined>(
  context: Context,
  name: "GuardedToken" | "DemoDvp" | "DemoDta",
  action: string,
  calling: Promise<Called>,
) {
  try {
    const called = await calling;
    const answer = {
      transaction_hash: called.hash,
      block_number: called.blockNumber,
      contract: context.contracts[name],
      from: context.relayer.address,
      action,
    };
    return { ...called, answer };
  } catch (error) {
    if (!(error instanceof TransactionRefused)) throw error;
    throw invalid(`This call of ${name} is not possible: ${error.message}.`);
  }
}
