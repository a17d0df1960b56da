import Type, { type Static } from "typebox";
import { checksumAddress } from "viem";
import {
  type Hex,
  LIMITS,
  OPERATION_STATUSES,
  type Operation,
  PAGE_LIMITS,
  type WireTransaction,
} from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import { withImplementations, withUpgrades } from "../lifecycles/operations/implementations.ts";
import {
  cancelOperation,
  finalizeOperation,
  submitOperation,
  walletForOperation,
} from "../lifecycles/operations/requests.ts";
import { channelOf, networksOf, operationOf } from "../lookup.ts";
import { runsOfOperation } from "../oracles/workflows.ts";
import { type StoredOperation, shownOperation } from "../store/operations.ts";
import { defined } from "../store/rows.ts";
import { NO_CHANNEL } from "./channels.ts";
import { NO_NETWORK } from "./networks.ts";
import { documented } from "./openapi.ts";
import { OperationAnswer, OperationCreated, pageOf, SUBJECT_TYPES, TransactionPreview } from "./resources.ts";
import { abandonment, pageText, type Routes } from "./routes.ts";
import {
  Address,
  ChainSelector,
  ChannelParams,
  filterOf,
  Id,
  listQuery,
  many,
  NETWORK_FILTERS,
  oneOf,
  uint256,
} from "./schemas.ts";

const Uint256 = Type.String({
  pattern: `^[0-9]{1,${LIMITS.walletOperationIdDigits}}$`,
  description: `a whole number in at most ${LIMITS.walletOperationIdDigits} decimal digits`,
});
const Signature = Type.String({
  pattern: "^0x([0-9a-fA-F]{130}|[0-9a-fA-F]{512})$",
  description: "a signature: 0x and 130 hex digits (ECDSA) or 512 (RSA)",
});
const Digest = Type.String({ pattern: "^0x[0-9a-fA-F]{64}$", description: "a digest: 0x and 64 hex digits" });

const NewOperation = Type.Object(
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

const OperationChange = Type.Union(
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
function wireTransaction(
  transaction: Static<typeof NewOperation>["transactions"][number],
  index: number,
): WireTransaction & { preview_snapshot?: unknown } {
  const { preview, ...call } = transaction;
  return {
    to: checksumAddress(call.to as Hex),
    value: String(uint256(`transactions[${index}].value`, call.value)),
    data: `0x${call.data.replace(/^0x/, "").toLowerCase()}`,
    ...(preview === undefined ? {} : { preview_snapshot: preview }),
  };
}

const OperationParams = Type.Object({ channel_id: Id, operation_id: Id });

const NO_OPERATION = `${NO_CHANNEL} \`OPERATION_NOT_FOUND\`: the channel has no such operation.`;
const CHAIN_DOWN = "`CHAIN_UNAVAILABLE`: the chain does not answer; try again when it does.";
const WALLET_ARCHIVED = "`WALLET_ALREADY_ARCHIVED`: the wallet is archived.";

export function operationRoutes(app: Routes, context: Context): void {
  const { store, injected, strict } = context;
  const SubjectType = Type.Optional(filterOf(SUBJECT_TYPES, strict));

  app.post(
    "/channels/:channel_id/operations",
    documented("operations", "createOperation", {
      summary: "Creates a signed operation, or without a signature a draft",
      params: ChannelParams,
      body: NewOperation,
      answers: {
        201: context.strict ? OperationCreated : OperationAnswer,
        404: `${NO_CHANNEL} \`WALLET_NOT_FOUND\`: there is no wallet at this address.`,
        409: `\`OPERATION_ALREADY_EXISTS\`: the wallet_operation_id is taken. ${WALLET_ARCHIVED} ${NO_NETWORK} ${CHAIN_DOWN}`,
      },
    }),
    async (request, reply) => {
      const { body } = request;
      const channel = channelOf(context, request.params.channel_id);
      const wallet = walletForOperation(context, channel, body);
      const transactions = body.transactions.map(wireTransaction);
      const isDraft = body.signature === undefined && !strict;
      const created = await submitOperation(context, {
        channelId: channel.channel_id,
        wallet,
        wallet_operation_id: String(uint256("wallet_operation_id", body.wallet_operation_id)),
        deadline: body.deadline,
        transactions: isDraft ? await withImplementations(context, transactions) : transactions,
        signature: body.signature as Hex | undefined,
      });
      injected.absences.onCreate("operation", created.operation_id);
      reply.code(201);
      return context.strict ? { operation_id: created.operation_id } : shown(created);
    },
  );

  app.get(
    "/channels/:channel_id/operations",
    documented("operations", "listOperations", {
      summary: "Lists the channel's operations, newest first",
      params: ChannelParams,
      querystring: listQuery(PAGE_LIMITS.operations, {
        status: many(oneOf(OPERATION_STATUSES)),
        ...NETWORK_FILTERS,
        address: Type.Optional(Address),
        wallet_id: Type.Optional(Id),
        initiator_subject_type: SubjectType,
        initiator_subject_id: Type.Optional(Type.String()),
        signer_subject_type: SubjectType,
        signer_subject_id: Type.Optional(Type.String()),
        canceller_subject_type: SubjectType,
        canceller_subject_id: Type.Optional(Type.String()),
      }),
      answers: { 200: pageOf("OperationList", OperationAnswer), 404: NO_CHANNEL },
    }),
    async (request, reply) => {
      const channel = channelOf(context, request.params.channel_id);
      const { query } = request;
      if (networksOf(context, query.chain_environment).length === 0) return { data: [], has_more: false };
      const page = await store.operations.list({
        absent: injected.absences.ids,
        isAbandoned: abandonment(request),
        channelId: channel.channel_id,
        limit: query.limit,
        offset: query.offset,
        ...defined({
          status: query.status,
          chainSelector: query.chain_selector,
          address: query.address,
          walletId: query.wallet_id,
        }),
        subjects: {
          "initiator ->> '$.subject_type'": query.initiator_subject_type,
          "initiator ->> '$.subject_id'": query.initiator_subject_id,
          "signer ->> '$.subject_type'": query.signer_subject_type,
          "signer ->> '$.subject_id'": query.signer_subject_id,
          "canceller ->> '$.subject_type'": query.canceller_subject_type,
          "canceller ->> '$.subject_id'": query.canceller_subject_id,
        },
      });
      reply.type("application/json; charset=utf-8");
      return await pageText({ ...page, data: page.data.map(shown) });
    },
  );

  app.get(
    "/channels/:channel_id/operations/:operation_id",
    documented("operations", "getOperation", {
      summary: "One operation",
      params: OperationParams,
      answers: { 200: OperationAnswer, 404: NO_OPERATION },
    }),
    async (request) => shown(await withUpgrades(context, operationOf(context, request.params))),
  );

  app.patch(
    "/channels/:channel_id/operations/:operation_id",
    documented("operations", "updateOperation", {
      summary: "Finalizes or cancels a draft",
      params: OperationParams,
      body: OperationChange,
      answers: {
        200: OperationAnswer,
        404: NO_OPERATION,
        409: `\`OPERATION_NOT_FINALIZABLE\`, \`OPERATION_NOT_CANCELLABLE\`: it is not a draft any more. The first also means that its channel is archived. \`OPERATION_DEADLINE_ELAPSED\`: its deadline has passed or is too close. ${WALLET_ARCHIVED} ${NO_NETWORK} ${CHAIN_DOWN}`,
      },
    }),
    async (request) => {
      const operation = operationOf(context, request.params);
      const { body } = request;
      if (body.status === "cancelled") return shown(cancelOperation(context, operation));
      const signed = { digest: body.digest, signature: body.signature as Hex };
      return shown(await withUpgrades(context, await finalizeOperation(context, operation, signed)));
    },
  );
}

function shown(operation: StoredOperation): Operation {
  return { ...shownOperation(operation), ...runsOfOperation(operation) };
}
