import Type from "typebox";
import type { Context } from "../../context.ts";
import { originOf } from "../../errors.ts";
import { documented } from "../openapi.ts";
import type { Routes } from "../routes.ts";
import { blockTimeOf, chainRoutes, implementationRoutes } from "./chain.ts";
import { demoContractRoutes } from "./demo-contracts.ts";
import { noteInjected } from "./inject-faults.ts";
import { graphqlAuthRoute, injectedFailureRoutes, Waiting, waitingIn } from "./injected-failures.ts";
import { type FlowVariablesAt, nodeRedRoute, timelineRoutes } from "./pages.ts";
import { scenarioRoutes } from "./scenarios.ts";

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
    ...Waiting,
  },
  { title: "LocalStatus", description: "the chain, and the injected failures that wait" },
);

/** What a tester needs and the public service does not have: all of it is under /local. */
export function localRoutes(app: Routes, context: Context, flowVariablesAt: FlowVariablesAt): void {
  const { chain, relayer, contracts, injected } = context;

  app.get(
    "/status",
    documented("local", "localStatus", {
      summary: "The newest blocks of the chain, and the injected failures that wait",
      answers: { 200: Status, 409: "`CHAIN_UNAVAILABLE`: the chain does not answer." },
    }),
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
        ...waitingIn(injected),
      };
    },
  );

  noteInjected(app, context);
  timelineRoutes(app, context);
  nodeRedRoute(app, flowVariablesAt);
  injectedFailureRoutes(app, injected);
  chainRoutes(app, context);
  demoContractRoutes(app, context);
  implementationRoutes(app, context);
  scenarioRoutes(app, context, flowVariablesAt);
  graphqlAuthRoute(app, injected.graphqlAuth);
}
