import Type from "typebox";
import { EVENT_TYPES } from "../../../../src/protocol/index.ts";
import type { Deliveries } from "../../injected-failures/deliveries.ts";
import { DELIVERY_ACTIONS, PROOF_ACTIONS } from "../../injected-failures/lists.ts";
import type { Routes } from "../routes.ts";
import { Id, milliseconds, oneOf, STRICT, times } from "../schemas.ts";
import { countedListRoutes } from "./counted-list.ts";

/** How the next events or proofs are delivered. */
export function deliveryAnswer<const T extends readonly string[]>(actions: T, title: string) {
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

export function deliveryRoutes(app: Routes, deliveries: Deliveries): void {
  countedListRoutes(app, {
    name: "proofs",
    title: "ProofList",
    item: deliveryAnswer(PROOF_ACTIONS, "ProofDelivery"),
    list: deliveries.proofs,
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
    list: deliveries.events,
    add: { operationId: "addDelivery", summary: "Delivers the next events late, twice or out of order" },
    clear: {
      operationId: "clearDeliveries",
      summary: "Delivers every event immediately, in order and once again",
    },
  });
}
