import { Readable } from "node:stream";
import Type from "typebox";
import { TransactionRefused } from "../../chain/demo/transactions.ts";
import type { Context } from "../../context.ts";
import { conflict, invalid } from "../../errors.ts";
import { networksOf } from "../../lookup.ts";
import { type Origin, scenarioText } from "../../scenarios/generate.ts";
import { FileQueue } from "../../scenarios/queue.ts";
import { REORGANIZATION, recordReorganization } from "../../scenarios/record-reorganization.ts";
import { SCENARIO_NAMES, SCENARIOS } from "../../scenarios/stories.ts";
import { now } from "../../time.ts";
import { shownNetwork } from "../networks.ts";
import { documented } from "../openapi.ts";
import { abandonment, type Routes } from "../routes.ts";
import { oneOf, STRICT, wholeNumber } from "../schemas.ts";
import { shownWatcher } from "../watchers.ts";
import { type FlowVariablesAt, originCalled } from "./pages.ts";

const MAX_SEED = 2_147_483_647;
/** The year 2001: earlier times leave no room for what came before. */
const EARLIEST = 1_000_000_000;

const seed = wholeNumber(0, MAX_SEED, 1, ": the same number gives the same events");
const until = Type.Optional(
  Type.Integer({
    minimum: EARLIEST,
    description:
      "a past time in whole Unix seconds: the last event is not later; without it, a day in 2025 that the seed decides",
  }),
);
const List = Type.Object(
  {
    scenarios: Type.Array(
      Type.Object({ name: Type.String(), text: Type.String(), method: oneOf(["GET", "POST"] as const) }),
    ),
  },
  { title: "ScenarioList", description: "what happens in each scenario, and how to ask for its file" },
);
const File = Type.Object(
  {
    format: Type.Literal("crec-events"),
    version: Type.Literal(1),
    channel: Type.Object({ id: Type.String(), name: Type.String() }),
    service: Type.String(),
    snapshot: Type.Record(Type.String(), Type.Unknown()),
    verification: Type.Record(Type.String(), Type.Unknown()),
    scenario: Type.Object({
      name: Type.String(),
      seed: Type.Integer(),
      text: Type.String(),
      labels: Type.Record(Type.String(), Type.String(), {
        description: "of offsets of events that should be noticed: what they are part of",
      }),
    }),
    events: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  },
  { title: "EventFile", description: "signed past events, for a rehearsal of a flow" },
);

/** Past events of scenarios, as files for rehearsals: signed as the service signs its own, and in no channel. */
export function scenarioRoutes(app: Routes, context: Context, variablesAt: FlowVariablesAt): void {
  const queue = new FileQueue();
  let isRecording = false;
  const originAt = (service: string): Origin => {
    const { confidences, contracts, oracles, relayer } = context;
    const [network = context.chain.network] = networksOf(context);
    return {
      ...{ network: shownNetwork(context, network), confidences, contracts, oracles, service },
      ...{ admin: relayer.address, verification: accountIn(variablesAt(service)) },
    };
  };

  app.get(
    "/scenarios",
    documented("local", "listScenarios", {
      summary: "The scenarios: past events in which something happens that a flow should notice",
      answers: { 200: List },
    }),
    () => ({
      scenarios: [
        ...SCENARIO_NAMES.map((name) => ({ name, text: SCENARIOS[name].text, method: "GET" as const })),
        { ...REORGANIZATION, method: "POST" as const },
      ],
    }),
  );

  app.get(
    "/scenarios/:name",
    {
      // It would make the whole file.
      exposeHeadRoute: false,
      ...documented("local", "getScenario", {
        summary: "A file of signed past events of a scenario, with labels",
        params: Type.Object({ name: oneOf(SCENARIO_NAMES) }),
        querystring: Type.Object({ seed, until }),
        answers: { 200: File },
      }),
    },
    async (request, reply) => {
      const { params, query, headers, raw } = request;
      if (query.until !== undefined && query.until > now()) {
        throw invalid("until is in the future. Give a past time in Unix seconds, or leave it out.");
      }
      const origin = originAt(originCalled(headers.host));
      const pieces = queue.pieces((pause) => scenarioText({ ...params, ...query }, origin, pause), {
        isGone: abandonment(request),
        drop: () => raw.socket.destroy(),
      });
      // As text, which is made while it is sent.
      return reply.type("application/json; charset=utf-8").send(Readable.from(pieces, { objectMode: false }));
    },
  );

  app.post(
    "/scenarios/reorg",
    documented("local", "recordReorganization", {
      summary: "Reorganizes the chain after a large mint was reported, and returns the events",
      body: Type.Object({ seed }, { title: "ReorganizationSeed", ...STRICT }),
      answers: { 200: File, 409: "The chain is not anvil, or a recording is running." },
    }),
    async ({ body, headers }) => {
      const { chain } = context;
      if (!chain.isDevelopment || !chain.minesOnRequest) {
        throw conflict("A reorganization needs the service's own chain, or another anvil.");
      }
      if (isRecording) throw conflict("A recording is running. Wait until it has ended.");
      isRecording = true;
      try {
        const { network, service, verification } = originAt(originCalled(headers.host));
        const show = { networks: [network], watcher: shownWatcher.bind(undefined, context) };
        return await recordReorganization(context, { ...body, service, verification, show });
      } catch (error) {
        if (!(error instanceof TransactionRefused)) throw error;
        throw invalid(`GuardedToken cannot mint: ${error.message}. Unpause it, then record again.`);
      } finally {
        isRecording = false;
      }
    },
  );
}

function accountIn(variables: Readonly<Record<string, string>>) {
  return { orgId: variables.CREC_ORG_ID ?? "", creTenantId: variables.CREC_TENANT_ID ?? "" };
}
