import { validateHeaderName, validateHeaderValue } from "node:http";
import Type, { type Static, type TSchema } from "typebox";
import { EVENT_TYPES } from "../../../../src/protocol/index.ts";
import { invalid, messageOf } from "../../errors.ts";
import {
  GRAPHQL_AUTH_MODES,
  type GraphqlAuth,
  type InjectedFailures,
} from "../../injected-failures/index.ts";
import {
  ABSENT_KINDS,
  DELIVERY_ACTIONS,
  FAILURE_KINDS,
  FAULT_ACTIONS,
  type Fault,
  PROOF_ACTIONS,
} from "../../injected-failures/lists.ts";
import { documented } from "../openapi.ts";
import type { Routes } from "../routes.ts";
import { Id, milliseconds, oneOf, STRICT, times } from "../schemas.ts";

type Documented = { operationId: string; summary: string };

type CountedListRoutes<T extends TSchema> = {
  /** The path, and the member of the answers. */
  name: string;
  /** Of the answers' schema. */
  title: string;
  item: T;
  list: { add(item: Static<T>): void; list(): Static<T>[]; clear(): void };
  /** What the schema cannot say. @throws ApiError 400 */
  check?: (item: Static<T>) => void;
  add: Documented;
  clear: Documented;
};

/** Headers that frame the answer, and so cannot be chosen. */
const FRAMING = ["content-length", "transfer-encoding", "trailer", "upgrade"];

const FaultAnswer = Type.Object(
  {
    match: Type.Optional(
      Type.Object(
        { method: Type.Optional(Type.String()), path: Type.Optional(Type.String()) },
        { description: "an object of method and path, or one of them", ...STRICT },
      ),
    ),
    times: times("requests it applies to"),
    action: oneOf(FAULT_ACTIONS),
    status: Type.Optional(
      Type.Integer({ minimum: 400, maximum: 599, description: "an HTTP status from 400 to 599" }),
    ),
    delayMs: Type.Optional(milliseconds(1000)),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "an object of header names and values" }),
    ),
    body: Type.Optional(
      Type.String({
        description: "the body as text, by default that of an error; JSON unless headers say otherwise",
      }),
    ),
  },
  {
    title: "Fault",
    description: "an object that says what goes wrong with which of the next calls",
    ...STRICT,
  },
);

const FailureAnswer = Type.Object(
  {
    kind: oneOf(FAILURE_KINDS),
    times: times("it applies to"),
    reason: Type.String({ minLength: 1, default: "a failure was asked for", description: "a text" }),
  },
  { title: "Failure", description: "an object of kind, times and reason", ...STRICT },
);

const AbsenceAnswer = Type.Object(
  {
    kind: Type.Optional(oneOf(ABSENT_KINDS)),
    times: times("creates it applies to"),
    delayMs: milliseconds(5000),
  },
  { title: "Absence", description: "an object of kind, times and delayMs", ...STRICT },
);

/** What waits for the next calls, resources and events, as a status shows it. */
export const Waiting = {
  faults: Type.Array(FaultAnswer),
  failures: Type.Array(FailureAnswer),
  absences: Type.Array(AbsenceAnswer),
  proofs: Type.Array(deliveryAnswer(PROOF_ACTIONS, "WaitingProof")),
  deliveries: Type.Array(deliveryAnswer(DELIVERY_ACTIONS, "WaitingDelivery")),
};

export function waitingIn(injected: InjectedFailures) {
  return {
    faults: injected.faults.list(),
    failures: injected.failures.list(),
    absences: injected.absences.list(),
    proofs: injected.deliveries.proofs.list(),
    deliveries: injected.deliveries.events.list(),
  };
}

/** The lists of what a tester makes go wrong. */
export function injectedFailureRoutes(app: Routes, injected: InjectedFailures): void {
  countedListRoutes(app, {
    name: "faults",
    title: "FaultList",
    item: FaultAnswer,
    list: injected.faults,
    check: refuseImpossibleHeaders,
    add: {
      operationId: "addFault",
      summary: "Makes the next matching calls fail, wait, or lose their answer",
    },
    clear: { operationId: "clearFaults", summary: "Clears all faults" },
  });
  countedListRoutes(app, {
    name: "failures",
    title: "FailureList",
    item: FailureAnswer,
    list: injected.failures,
    add: {
      operationId: "addFailure",
      summary: "Makes the next deployments, watchers, archivings, operations or queries fail",
    },
    clear: { operationId: "clearFailures", summary: "Clears all failures" },
  });
  countedListRoutes(app, {
    name: "absences",
    title: "AbsenceList",
    item: AbsenceAnswer,
    list: injected.absences,
    add: {
      operationId: "addAbsence",
      summary: "Answers 404 for the next resources for some time after their create",
    },
    clear: { operationId: "clearAbsences", summary: "Clears all absences: everything is found again" },
  });
  countedListRoutes(app, {
    name: "proofs",
    title: "ProofList",
    item: deliveryAnswer(PROOF_ACTIONS, "ProofDelivery"),
    list: injected.deliveries.proofs,
    add: {
      operationId: "addProofDelivery",
      summary: "Withholds, delays or corrupts the proofs of the next events that have one",
    },
    clear: {
      operationId: "clearProofDeliveries",
      summary: "Delivers every event with its stored proof again",
    },
  });
  countedListRoutes(app, {
    name: "deliveries",
    title: "DeliveryList",
    item: deliveryAnswer(DELIVERY_ACTIONS, "EventDelivery"),
    list: injected.deliveries.events,
    add: { operationId: "addDelivery", summary: "Delivers the next events late, twice or out of order" },
    clear: {
      operationId: "clearDeliveries",
      summary: "Delivers every event immediately, in order and once again",
    },
  });
}

/** `POST` adds to a list of injected failures, `DELETE` clears it. Both return what is left. */
function countedListRoutes<T extends TSchema>(app: Routes, routes: CountedListRoutes<T>): void {
  const { name, title, item, list, check } = routes;
  const path = `/${name}`;
  const Answer = Type.Object({ [name]: Type.Array(item) }, { title });

  app.post(
    path,
    { schema: { tags: ["local"], ...routes.add, body: item, answers: { 201: Answer } } },
    (request, reply) => {
      const asked = request.body as Static<T>;
      check?.(asked);
      list.add(asked);
      reply.code(201);
      return { [name]: list.list() };
    },
  );

  app.delete(path, { schema: { tags: ["local"], ...routes.clear, answers: { 200: Answer } } }, () => {
    list.clear();
    return { [name]: list.list() };
  });
}

/** @throws ApiError 400 when no answer can have these headers. */
function refuseImpossibleHeaders({ headers = {} }: Fault): void {
  for (const [name, value] of Object.entries(headers)) {
    if (FRAMING.includes(name.toLowerCase())) {
      throw invalid(`headers must not have ${name}: it is set from the answer. Leave it out.`);
    }
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch (error) {
      throw invalid(
        `headers cannot be sent as they are: ${messageOf(error)}. Correct the header, or leave it out.`,
      );
    }
  }
}

/** How the next events or proofs are delivered. */
function deliveryAnswer<const T extends readonly string[]>(actions: T, title: string) {
  return Type.Object(
    {
      action: oneOf(actions),
      times: times("it applies to"),
      delayMs: milliseconds(5000),
      match: Type.Optional(
        Type.Object(
          { channel_id: Type.Optional(Id), type: Type.Optional(oneOf(EVENT_TYPES)) },
          { description: "an object of channel_id and type, or one of them", ...STRICT },
        ),
      ),
    },
    { title, ...STRICT },
  );
}

/** Chooses how the account API reports a wrong key. */
export function graphqlAuthRoute(app: Routes, auth: GraphqlAuth): void {
  const Mode = Type.Object({ mode: oneOf(GRAPHQL_AUTH_MODES) }, { title: "GraphqlAuth", ...STRICT });
  app.post(
    "/graphql-auth",
    documented("local", "setGraphqlAuth", {
      summary: "Chooses how the account API reports a wrong key: by status, in errors, or both",
      body: Mode,
      answers: { 200: Mode },
    }),
    (request) => {
      auth.mode = request.body.mode;
      return { mode: auth.mode };
    },
  );
}
