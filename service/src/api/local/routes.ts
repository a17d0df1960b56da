import Type from "typebox";
import type { Context } from "../../context.ts";
import { originOf } from "../../errors.ts";
import { DELIVERY_ACTIONS, PROOF_ACTIONS } from "../../injected-failures/lists.ts";
import type { Routes } from "../routes.ts";
import { AbsenceAnswer, absenceRoutes } from "./absences.ts";
import { blockTimeOf, chainRoutes } from "./chain.ts";
import { deliveryAnswer, deliveryRoutes } from "./deliveries.ts";
import { extensionRoutes } from "./extensions.ts";
import { FailureAnswer, failureRoutes } from "./failures.ts";
import { FaultAnswer, faultRoutes } from "./faults.ts";
import { graphqlAuthRoute } from "./graphql-auth.ts";
import { guardedTokenRoute } from "./guarded-token.ts";
import { implementationRoutes } from "./implementation.ts";
import { type FlowVariablesAt, nodeRedRoute } from "./node-red.ts";
import { noteInjected } from "./note-injected.ts";
import { scenarioRoutes } from "./scenarios.ts";
import { timelineRoutes } from "./timeline.ts";

const Status = Type.Object(
  {
    rpc_url: Type.String({
      description: "the origin of the node, without a key that its address may contain",
    }),
    chain_id: Type.String(),
    chain_selector: Type.String(),
    latest: Type.Integer(),
    safe: Type.Integer(),
    finalized: Type.Integer(),
    relayer: Type.String(),
    contracts: Type.Record(Type.String(), Type.String()),
    blockTimeMs: Type.Union([Type.Integer(), Type.Null()], {
      description: "time between empty blocks; null where the node makes blocks itself",
    }),
    faults: Type.Array(FaultAnswer),
    failures: Type.Array(FailureAnswer),
    absences: Type.Array(AbsenceAnswer),
    proofs: Type.Array(deliveryAnswer(PROOF_ACTIONS, "WaitingProof")),
    deliveries: Type.Array(deliveryAnswer(DELIVERY_ACTIONS, "WaitingDelivery")),
  },
  { title: "LocalStatus", description: "the chain, and the injected failures that wait" },
);

/** What a tester needs and the public service does not have: all of it is under /local. */
export function localRoutes(app: Routes, context: Context, flowVariablesAt: FlowVariablesAt): void {
  const { chain, relayer, contracts, injected } = context;

  app.get(
    "/status",
    {
      schema: {
        tags: ["local"],
        operationId: "localStatus",
        summary: "The newest blocks of the chain, and the injected failures that wait",
        answers: { 200: Status, 409: "`CHAIN_UNAVAILABLE`: the chain does not answer." },
      },
    },
    async () => {
      const heads = await chain.atNewHead(() => chain.heads());
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
        faults: injected.faults.list(),
        failures: injected.failures.list(),
        absences: injected.absences.list(),
        proofs: injected.deliveries.proofs.list(),
        deliveries: injected.deliveries.events.list(),
      };
    },
  );

  noteInjected(app, context);
  timelineRoutes(app, context);
  nodeRedRoute(app, flowVariablesAt);
  faultRoutes(app, injected.faults);
  failureRoutes(app, injected.failures);
  absenceRoutes(app, injected.absences);
  deliveryRoutes(app, injected.deliveries);
  chainRoutes(app, context);
  guardedTokenRoute(app, context);
  extensionRoutes(app, context);
  implementationRoutes(app, context);
  scenarioRoutes(app, context, flowVariablesAt);
  graphqlAuthRoute(app, injected.graphqlAuth);
}
