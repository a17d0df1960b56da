import Type from "typebox";
import type { Context } from "../context.ts";
import { DELIVERY_ACTIONS, PROOF_ACTIONS } from "../deliveries.ts";
import { originOf } from "../problem.ts";
import { TRIALS } from "../trials.ts";
import { Fault, type Faults, refuseImpossibleHeaders } from "./faults.ts";
import { Absence, localAbsenceRoutes } from "./local-absences.ts";
import { blockTimeOf, localChainRoutes } from "./local-chain.ts";
import { Delivery, localEventRoutes } from "./local-events.ts";
import type { Routes } from "./routes.ts";
import { oneOf, STRICT, times } from "./schemas.ts";

const Failure = Type.Object(
  {
    kind: oneOf(TRIALS),
    times: times("it meets"),
    reason: Type.String({ minLength: 1, default: "a failure was asked for", description: "a text" }),
  },
  { title: "Failure", description: "an object that says what fails next, and with which reason", ...STRICT },
);
const FaultList = Type.Object({ faults: Type.Array(Fault) }, { title: "FaultList" });
const FailureList = Type.Object({ failures: Type.Array(Failure) }, { title: "FailureList" });
const Status = Type.Object(
  {
    rpc_url: Type.String({ description: "where the node is, without a key that its address may hold" }),
    chain_id: Type.String(),
    chain_selector: Type.String(),
    latest: Type.Integer(),
    safe: Type.Integer(),
    finalized: Type.Integer(),
    relayer: Type.String(),
    contracts: Type.Record(Type.String(), Type.String()),
    blockTimeMs: Type.Union([Type.Integer(), Type.Null()], {
      description: "from block to block; null where blocks come by themselves",
    }),
    faults: Type.Array(Fault),
    failures: Type.Array(Failure),
    absences: Type.Array(Absence),
    proofs: Type.Array(Delivery(PROOF_ACTIONS, "WaitingProof")),
    deliveries: Type.Array(Delivery(DELIVERY_ACTIONS, "WaitingDelivery")),
  },
  { title: "LocalStatus", description: "the chain, and what waits for its occasion" },
);

/** What a tester needs and the public service has not: all of it is under /local. */
export function localRoutes(app: Routes, context: Context, faults: Faults): void {
  const { chain, relayer, contracts, trials, absences, deliveries } = context;

  app.get(
    "/status",
    {
      schema: {
        tags: ["local"],
        operationId: "localStatus",
        summary: "How far the chain is, and what waits for its occasion",
        answers: { 200: Status, 409: "`CHAIN_UNAVAILABLE`: the chain does not answer." },
      },
    },
    async () => {
      const heads = await chain.heads();
      return {
        rpc_url: originOf(chain.rpcUrl),
        chain_id: chain.network.chain_id,
        chain_selector: chain.network.chain_selector,
        latest: heads.latest.number,
        safe: heads.safe,
        finalized: heads.finalized,
        relayer: relayer.address,
        contracts,
        blockTimeMs: blockTimeOf(context),
        faults: faults.list(),
        failures: trials.list(),
        absences: absences.list(),
        proofs: deliveries.list("proof"),
        deliveries: deliveries.list("delivery"),
      };
    },
  );

  app.post(
    "/faults",
    {
      schema: {
        tags: ["local"],
        operationId: "addFault",
        summary: "Lets the next calls that match fail, wait, or lose their answer",
        body: Fault,
        answers: { 201: FaultList },
      },
    },
    (request, reply) => {
      refuseImpossibleHeaders(request.body);
      faults.add(request.body);
      reply.code(201);
      return { faults: faults.list() };
    },
  );

  app.delete(
    "/faults",
    {
      schema: {
        tags: ["local"],
        operationId: "clearFaults",
        summary: "Forgets all faults",
        answers: { 200: FaultList },
      },
    },
    () => {
      faults.clear();
      return { faults: [] };
    },
  );

  app.post(
    "/failures",
    {
      schema: {
        tags: ["local"],
        operationId: "addFailure",
        summary: "Lets the next deployments, watchers, archivings, operations or queries end as failed",
        body: Failure,
        answers: { 201: FailureList },
      },
    },
    (request, reply) => {
      trials.add(request.body);
      reply.code(201);
      return { failures: trials.list() };
    },
  );

  app.delete(
    "/failures",
    {
      schema: {
        tags: ["local"],
        operationId: "clearFailures",
        summary: "Forgets all failures",
        answers: { 200: FailureList },
      },
    },
    () => {
      trials.clear();
      return { failures: [] };
    },
  );

  localAbsenceRoutes(app, absences);
  localEventRoutes(app, context);
  localChainRoutes(app, context);
}
