import { randomUUID } from "node:crypto";
import Type from "typebox";
import {
  type Hex,
  LIMITS,
  OPERATION_STATUSES,
  type Operation,
  PAGE_LIMITS,
  type Subject,
} from "../../../src/protocol/index.ts";
import { operationDigest } from "../../../src/signing/index.ts";
import type { Context } from "../context.ts";
import { createOperation, moveOperation } from "../lifecycles/operation.ts";
import { runsOfOperation } from "../oracles/workflows.ts";
import { type StoredOperation, shownOperation } from "../store/operations.ts";
import { defined } from "../store/rows.ts";
import type { StoredWallet } from "../store/wallets.ts";
import { now } from "../time.ts";
import { channelOf, NO_CHANNEL } from "./channels.ts";
import { type ApiError, conflict, invalid, notFound } from "./errors.ts";
import { checkNetwork, NO_NETWORK, networksOf } from "./networks.ts";
import { NewOperation, OperationChange, uint256, wireTransaction } from "./operation-requests.ts";
import { pageText } from "./page-text.ts";
import { OperationAnswer, OperationCreated, pageOf } from "./resources.ts";
import { abandonment, type Routes } from "./routes.ts";
import { Address, ChainEnvironment, ChainSelector, Id, listQuery, many, oneOf } from "./schemas.ts";
import { checkSignature } from "./signature.ts";
import { refuseArchived } from "./wallets.ts";

const ChannelParams = Type.Object({ channel_id: Id });
const OperationParams = Type.Object({ channel_id: Id, operation_id: Id });

const NO_OPERATION = `${NO_CHANNEL} \`OPERATION_NOT_FOUND\`: the channel has no such operation.`;
const CHAIN_DOWN = "`CHAIN_UNAVAILABLE`: the chain does not answer; try again when it does.";
const WALLET_ARCHIVED = "`WALLET_ALREADY_ARCHIVED`: the wallet takes no operations any more.";

/** Whose key it is: this service knows one. */
const SUBJECT: Subject = { subject_type: "api_key", subject_id: "key_local", subject_name: "Local key" };

export function operationRoutes(app: Routes, context: Context): void {
  const { store, injected } = context;

  app.post(
    "/channels/:channel_id/operations",
    {
      schema: {
        tags: ["operations"],
        operationId: "createOperation",
        summary: "Hands in a signed operation, or without a signature a draft",
        params: ChannelParams,
        body: NewOperation,
        answers: {
          201: context.strict ? OperationCreated : OperationAnswer,
          404: `${NO_CHANNEL} \`WALLET_NOT_FOUND\`: there is no wallet at this address.`,
          409: `\`OPERATION_ALREADY_EXISTS\`: the wallet_operation_id is taken. ${WALLET_ARCHIVED} ${NO_NETWORK} ${CHAIN_DOWN}`,
        },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const channel = channelOf(context, request.params.channel_id);
      if (channel.status === "archived")
        throw invalid("The channel is archived and takes no new operations.");
      checkNetwork(context, body.chain_selector);
      const wallet = walletAt(context, body.chain_selector, body.address);
      refuseArchived(wallet);
      if (wallet.status !== "deployed") {
        throw invalid(`The wallet is ${wallet.status}; wait until it is deployed.`);
      }
      if (body.deadline !== 0 && body.deadline <= now()) throw invalid("deadline has passed already.");
      const operation = {
        chain_selector: body.chain_selector,
        address: wallet.address,
        wallet_operation_id: uint256("wallet_operation_id", body.wallet_operation_id),
        deadline: body.deadline,
        transactions: body.transactions.map(wireTransaction),
      };
      refuseTakenId(context, operation);
      const digest = operationDigest(
        { ...operation, id: operation.wallet_operation_id, account: wallet.address },
        context.chain.network.chain_id,
      );
      const signature = body.signature as Hex | undefined;
      if (signature !== undefined) await checkSignature(context, wallet, digest, signature);
      // Another request may have come first while the wallet was asked.
      refuseTakenId(context, operation);
      const created = createOperation(context, {
        ...operation,
        operation_id: randomUUID(),
        channelId: channel.channel_id,
        walletId: wallet.walletId,
        status: signature === undefined ? "pending_signature" : "accepted",
        signature: signature ?? null,
        digest,
        initiator: SUBJECT,
        ...(signature === undefined ? {} : { signer: SUBJECT }),
      });
      injected.absences.onCreate("operation", created.operation_id);
      reply.code(201);
      return context.strict ? { operation_id: created.operation_id } : shown(created);
    },
  );

  app.get(
    "/channels/:channel_id/operations",
    {
      schema: {
        tags: ["operations"],
        operationId: "listOperations",
        summary: "Lists the channel's operations, newest first",
        params: ChannelParams,
        querystring: listQuery(PAGE_LIMITS.operations, {
          status: many(oneOf(OPERATION_STATUSES)),
          chain_selector: Type.Optional(ChainSelector),
          chain_environment: Type.Optional(ChainEnvironment),
          address: Type.Optional(Address),
          wallet_id: Type.Optional(Id),
          initiator_subject_type: Type.Optional(Type.String()),
          initiator_subject_id: Type.Optional(Type.String()),
          signer_subject_type: Type.Optional(Type.String()),
          signer_subject_id: Type.Optional(Type.String()),
          canceller_subject_type: Type.Optional(Type.String()),
          canceller_subject_id: Type.Optional(Type.String()),
        }),
        answers: { 200: pageOf("OperationList", OperationAnswer), 404: NO_CHANNEL },
      },
    },
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
    {
      schema: {
        tags: ["operations"],
        operationId: "getOperation",
        summary: "One operation",
        params: OperationParams,
        answers: { 200: OperationAnswer, 404: NO_OPERATION },
      },
    },
    (request) => shown(operationOf(context, request.params)),
  );

  app.patch(
    "/channels/:channel_id/operations/:operation_id",
    {
      schema: {
        tags: ["operations"],
        operationId: "updateOperation",
        summary: "Finalizes or cancels a draft",
        params: OperationParams,
        body: OperationChange,
        answers: {
          200: OperationAnswer,
          404: NO_OPERATION,
          409: `\`OPERATION_NOT_FINALIZABLE\`, \`OPERATION_NOT_CANCELLABLE\`: it is no draft any more. \`OPERATION_DEADLINE_ELAPSED\`: its deadline has passed or is too close. ${WALLET_ARCHIVED} ${NO_NETWORK} ${CHAIN_DOWN}`,
        },
      },
    },
    async (request) => {
      const operation = operationOf(context, request.params);
      const { body } = request;
      return shown(
        body.status === "cancelled" ? cancel(context, operation) : await finalize(context, operation, body),
      );
    },
  );
}

function shown(operation: StoredOperation): Operation {
  return { ...shownOperation(operation), ...runsOfOperation(operation) };
}

function cancel({ store }: Context, operation: StoredOperation): StoredOperation {
  const cancelled = moveOperation(store, operation.operation_id, "cancelled", {
    change: { canceller: SUBJECT, cancelled_at: now() },
  });
  if (cancelled !== undefined) return cancelled;
  throw conflict(
    `The operation is ${operation.status} and cannot be cancelled.`,
    "OPERATION_NOT_CANCELLABLE",
  );
}

async function finalize(
  context: Context,
  operation: StoredOperation,
  body: { signature: string; digest: string },
): Promise<StoredOperation> {
  const { store } = context;
  const { operation_id, deadline } = operation;
  if (operation.status !== "pending_signature") throw notFinalizable(operation);
  if (deadline !== 0 && now() >= deadline - LIMITS.finalizeBufferSeconds) {
    if (now() >= deadline) moveOperation(store, operation_id, "expired", { reason: "the deadline passed" });
    throw conflict("The operation's deadline has passed or is too close.", "OPERATION_DEADLINE_ELAPSED");
  }
  // The data directory may have been used with another chain.
  checkNetwork(context, operation.chain_selector);
  const wallet = walletAt(context, operation.chain_selector, operation.address);
  refuseArchived(wallet);
  if (body.digest.toLowerCase() !== operation.digest) {
    throw invalid(`digest is not that of this operation, which is ${operation.digest}.`);
  }
  await checkSignature(context, wallet, operation.digest, body.signature as Hex);
  const accepted = moveOperation(store, operation_id, "accepted", {
    change: { signature: body.signature as Hex, signer: SUBJECT, signed_at: now() },
  });
  if (accepted === undefined)
    throw notFinalizable(operationOf(context, { channel_id: operation.channelId, operation_id }));
  context.pulse.poke();
  return accepted;
}

function notFinalizable({ status }: StoredOperation): ApiError {
  return conflict(`The operation is ${status} and cannot be finalized.`, "OPERATION_NOT_FINALIZABLE");
}

/** @throws ApiError 404 */
function operationOf(
  context: Context,
  { channel_id, operation_id }: { channel_id: string; operation_id: string },
): StoredOperation {
  const { store, injected } = context;
  channelOf(context, channel_id);
  const operation = store.operations.get(operation_id);
  if (
    operation === undefined ||
    operation.channelId !== channel_id ||
    injected.absences.isAbsent(operation_id)
  ) {
    throw notFound("OPERATION_NOT_FOUND", "operation", operation_id);
  }
  return operation;
}

/** @throws ApiError 404 `WALLET_NOT_FOUND` */
function walletAt({ store, injected }: Context, chainSelector: string, address: string): StoredWallet {
  const wallet = store.wallets.atAddress(chainSelector, address);
  if (wallet === undefined || injected.absences.isAbsent(wallet.walletId))
    throw notFound("WALLET_NOT_FOUND", "wallet at", address);
  return wallet;
}

function refuseTakenId(
  { store }: Context,
  operation: { chain_selector: string; address: string; wallet_operation_id: string },
): void {
  if (!store.operations.isTaken(operation.chain_selector, operation.address, operation.wallet_operation_id))
    return;
  throw conflict(
    `The wallet has an operation with the wallet_operation_id ${operation.wallet_operation_id} already.`,
    "OPERATION_ALREADY_EXISTS",
  );
}
