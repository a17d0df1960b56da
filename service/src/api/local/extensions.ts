import Type from "typebox";
import { checksumAddress } from "viem";
import type { Hex } from "../../../../src/protocol/index.ts";
import { type Called, callDta, callDvp, type DtaCall, type DvpCall } from "../../chain/demo/settlements.ts";
import { TransactionRefused } from "../../chain/demo/transactions.ts";
import type { Context } from "../../context.ts";
import { invalid } from "../../errors.ts";
import type { Routes } from "../routes.ts";
import { Address, Amount, amountOf, oneOf, STRICT } from "../schemas.ts";

const Hash = Type.String({ pattern: "^0x[0-9a-fA-F]{64}$", description: "0x and 64 hex digits" });
const LONGEST_SECONDS = 31_536_000;

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
const DvpCalled = Type.Object(
  { ...CALLED, settlement_id: Type.String(), settlement_hash: Type.String() },
  { title: "DvpCalled", description: IN_BLOCK },
);
const DtaCalled = Type.Object(
  { ...CALLED, request_id: Type.String() },
  { title: "DtaCalled", description: IN_BLOCK },
);

/** Makes the events of the extensions happen: the service's account owns the demo contracts, and plays all parties. */
export function extensionRoutes(app: Routes, context: Context): void {
  app.post(
    "/dvp",
    {
      schema: {
        tags: ["local"],
        operationId: "callDvp",
        summary: "Opens, accepts, settles or cancels a settlement of the demo contract DemoDvp",
        body: DvpBody,
        answers: { 200: DvpCalled },
      },
    },
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
    {
      schema: {
        tags: ["local"],
        operationId: "callDta",
        summary: "Makes, processes, completes, fails or cancels a request of the demo contract DemoDta",
        body: DtaBody,
        answers: { 200: DtaCalled },
      },
    },
    async ({ body }) => {
      const called = await refusing(context, "DemoDta", body.action, callDta(context, dtaCall(body)));
      return { ...called.answer, request_id: String(called.params.requestId) };
    },
  );
}

const ONE_HOUR = 3600;

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

const USUAL_AMOUNT = 1_000_000_000_000_000_000n;

/** @throws ApiError 400 for a value that the action does not have. */
function dtaCall({ action, request_id, amount }: Type.Static<typeof DtaBody>): DtaCall {
  if (action === "subscribe" || action === "redeem") {
    if (request_id !== undefined) throw invalid(`${action} does not use request_id.`);
    return { action, amount: amount === undefined ? USUAL_AMOUNT : amountOf(amount) };
  }
  if (amount !== undefined) throw invalid(`${action} does not use amount.`);
  return { action, ...(request_id === undefined ? {} : { id: request_id as Hex }) };
}

/** @throws ApiError 400 with the reason when the contract or the chain refuses the call. */
async function refusing(
  context: Context,
  name: "DemoDvp" | "DemoDta",
  action: string,
  calling: Promise<Called>,
) {
  try {
    const { hash, blockNumber, params } = await calling;
    const answer = {
      transaction_hash: hash,
      block_number: blockNumber,
      contract: context.contracts[name],
      from: context.relayer.address,
      action,
    };
    return { params, answer };
  } catch (error) {
    if (!(error instanceof TransactionRefused)) throw error;
    throw invalid(`This call of ${name} is not possible: ${error.message}.`);
  }
}
