import Type from "typebox";
import { EVENT_TYPES } from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import { DELIVERY_ACTIONS, PROOF_ACTIONS } from "../deliveries.ts";
import type { Routes } from "./routes.ts";
import { Id, milliseconds, oneOf, STRICT, times } from "./schemas.ts";

/** How the next events, or their proofs, come to who asks. */
export function Delivery<const T extends readonly string[]>(actions: T, title: string) {
  return Type.Object(
    {
      action: oneOf(actions),
      times: times("it meets"),
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

const ProofDelivery = Delivery(PROOF_ACTIONS, "ProofDelivery");
const EventDelivery = Delivery(DELIVERY_ACTIONS, "EventDelivery");
const ProofList = Type.Object({ proofs: Type.Array(ProofDelivery) }, { title: "ProofList" });
const DeliveryList = Type.Object({ deliveries: Type.Array(EventDelivery) }, { title: "DeliveryList" });

export function localEventRoutes(app: Routes, { deliveries }: Context): void {
  app.post(
    "/proofs",
    {
      schema: {
        tags: ["local"],
        operationId: "addProofDelivery",
        summary: "Withholds, delays or corrupts the proofs of the next events that have one",
        body: ProofDelivery,
        answers: { 201: ProofList },
      },
    },
    (request, reply) => {
      deliveries.add(request.body);
      reply.code(201);
      return { proofs: deliveries.list("proof") };
    },
  );

  app.delete(
    "/proofs",
    {
      schema: {
        tags: ["local"],
        operationId: "clearProofDeliveries",
        summary: "Gives every event the proof that is stored with it again",
        answers: { 200: ProofList },
      },
    },
    () => {
      deliveries.clear("proof");
      return { proofs: [] };
    },
  );

  app.post(
    "/deliveries",
    {
      schema: {
        tags: ["local"],
        operationId: "addDelivery",
        summary: "Delivers the next events late, twice or out of order",
        body: EventDelivery,
        answers: { 201: DeliveryList },
      },
    },
    (request, reply) => {
      deliveries.add(request.body);
      reply.code(201);
      return { deliveries: deliveries.list("delivery") };
    },
  );

  app.delete(
    "/deliveries",
    {
      schema: {
        tags: ["local"],
        operationId: "clearDeliveries",
        summary: "Delivers every event at once, in order, a single time again",
        answers: { 200: DeliveryList },
      },
    },
    () => {
      deliveries.clear("delivery");
      return { deliveries: [] };
    },
  );
}
