import Type, { type Static } from "typebox";
import { oneOf } from "../api/schemas.ts";
import { DELIVERY_ACTIONS, PROOF_ACTIONS } from "../injected-failures/lists.ts";

const ENTRY_KINDS = [
  "channel",
  "watcher",
  "wallet",
  "operation",
  "query",
  "event",
  "injected",
  "reorganization",
] as const;

const Amount = Type.Object(
  { value: Type.String(), symbol: Type.String() },
  { title: "TimelineAmount", description: "in tokens" },
);

const Call = Type.Object(
  {
    contract: Type.String({ description: "the name of a demo contract, or an address" }),
    action: Type.Optional(Type.String({ description: "the function of a demo contract" })),
    amount: Type.Optional(Amount),
  },
  { title: "TimelineCall", description: "a transaction of an operation" },
);

/** One thing that happened. Fields that do not apply are left out. */
export const TimelineEntry = Type.Object(
  {
    id: Type.String({ description: "increases with each entry; the value for Last-Event-ID" }),
    at: Type.String({ description: "RFC 3339, with milliseconds" }),
    kind: oneOf(ENTRY_KINDS),
    subject: Type.String({ description: "the same for all entries about one thing" }),
    channel_id: Type.Optional(Type.String()),
    channel: Type.Optional(Type.String({ description: "the name of the channel" })),
    name: Type.Optional(
      Type.String({ description: "of the channel, the watcher, the wallet or the contract event" }),
    ),
    watcher: Type.Optional(Type.String({ description: "the name of the watcher that reported the event" })),
    wallet: Type.Optional(Type.String({ description: "the name of the wallet of the operation" })),
    status: Type.Optional(Type.String({ description: "the new status; of an event, the confidence level" })),
    reason: Type.Optional(Type.String({ description: "why it failed" })),
    contract: Type.Optional(Type.String({ description: "the name of a demo contract, or an address" })),
    amount: Type.Optional(Amount),
    calls: Type.Optional(Type.Array(Call, { description: "the first ones" })),
    calls_total: Type.Optional(Type.Integer()),
    transaction_hash: Type.Optional(Type.String()),
    block_number: Type.Optional(Type.String()),
    offset: Type.Optional(Type.Integer({ description: "of the event in its channel" })),
    proof: Type.Optional(
      Type.Object(
        {
          signatures: Type.Integer(),
          required: Type.Integer(),
          change: Type.Optional(oneOf(PROOF_ACTIONS)),
        },
        {
          title: "TimelineProof",
          description: "the stored proof, and what a tester asked to do to it when it is delivered",
        },
      ),
    ),
    delivery: Type.Optional(oneOf(DELIVERY_ACTIONS)),
    injected: Type.Optional(
      Type.Object(
        {
          list: Type.String({ description: "the endpoint under /local" }),
          state: oneOf(["asked", "applied", "cleared"]),
          details: Type.Optional(Type.String()),
        },
        { title: "TimelineInjected" },
      ),
    ),
    replaced: Type.Optional(
      Type.Object(
        { after_block: Type.Integer(), up_to_block: Type.Integer() },
        { title: "TimelineReplaced", description: "the blocks that the chain replaced" },
      ),
    ),
  },
  { title: "TimelineEntry" },
);
export type TimelineEntry = Static<typeof TimelineEntry>;
