import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import Type from "typebox";
import { EVENT_TYPES, type EventType, PAGE_LIMITS, SEARCH_FILTERS } from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import { invalid, notFound } from "../errors.ts";
import { checkChannel, networksOf } from "../lookup.ts";
import type { EventFilter } from "../store/events/events.ts";
import { bytesOf, type StoredPage } from "../store/events/pages.ts";
import { defined } from "../store/rows.ts";
import { NO_CHANNEL } from "./channels.ts";
import { EventAnswer, EventPage } from "./event-resources.ts";
import { documented } from "./openapi.ts";
import { abandonment, type Routes } from "./routes.ts";
import {
  Address,
  ChainEnvironment,
  ChainSelector,
  ChannelParams,
  Id,
  listQuery,
  many,
  OFFSET_RANGE,
  oneOf,
} from "./schemas.ts";

const Type_ = oneOf(EVENT_TYPES);
const Time = Type.Optional(Type.Integer({ ...OFFSET_RANGE, description: "a time in whole Unix seconds" }));

const StrictPoll = Type.Object({
  offset: Type.Optional(Type.Integer(OFFSET_RANGE)),
  limit: listQuery(PAGE_LIMITS.events, {}).properties.limit,
});

const Poll = Type.Object({ type: Type.Optional(Type_), ...StrictPoll.properties });

const SEARCH = {
  type: many(Type_),
  "created.gt": Time,
  "created.gte": Time,
  "created.lt": Time,
  "created.lte": Time,
  chain_selector: many(ChainSelector),
  chain_environment: Type.Optional(ChainEnvironment),
  status: many(Type.String()),
  watcher_id: Type.Optional(Id),
  wallet_id: Type.Optional(Id),
  address: many(Address),
  wallet_operation_id: Type.Optional(
    Type.String({ pattern: "^[0-9]{1,78}$", description: "a number in decimal digits" }),
  ),
  event_name: Type.Optional(Type.String()),
  service: many(Type.String()),
};
/** Filters that the public service does not have. */
const NOT_PUBLIC = { operation_id: Type.Optional(Id), query_id: Type.Optional(Id) };
const StrictSearch = listQuery(PAGE_LIMITS.eventsSearch, SEARCH);
const Search = listQuery(PAGE_LIMITS.eventsSearch, { ...SEARCH, ...NOT_PUBLIC });

/** The store returns pages as text: nothing is parsed or serialized here. */
export function eventRoutes(app: Routes, context: Context): void {
  const { store, strict } = context;
  const { deliveries } = context.injected;
  /** A large page is sent in parts, unless an injected failure changes it. */
  const answerOf = async (
    page: StoredPage,
    reply: FastifyReply,
    change: (bytes: Buffer) => ReturnType<typeof deliveries.page>,
  ) => {
    if (!Buffer.isBuffer(page) && deliveries.changesNothing) return inParts(reply, page);
    const bytes = await bytesOf(page);
    freeWhenSent(reply, bytes);
    return change(bytes);
  };
  // A strict service describes fewer parameters. Others are ignored.
  const poll = strict ? (StrictPoll as typeof Poll) : Poll;
  const search = strict ? (StrictSearch as typeof Search) : Search;

  app.get(
    "/channels/:channel_id/events",
    documented("events", "pollEvents", {
      summary: `Events from an offset upwards; without an offset the newest, downwards${strict ? ". A strict service ignores type" : ""}`,
      params: ChannelParams,
      querystring: poll,
      answers: { 200: EventPage, 404: NO_CHANNEL },
    }),
    async (request, reply) => {
      const { channel_id: channelId } = request.params;
      checkChannel(context, channelId);
      const { type, ...query } = request.query;
      const page = await store.events.poll(channelId, {
        ...query,
        ...(strict ? {} : defined({ type })),
        isHidden: deliveries.hidden,
        isAbandoned: abandonment(request),
      });
      reply.type("application/json; charset=utf-8");
      return answerOf(page, reply, (bytes) => deliveries.page(bytes, request.query.limit));
    },
  );

  app.get(
    "/channels/:channel_id/events/search",
    documented("events", "searchEvents", {
      summary: "Events that match all filters, oldest first",
      params: ChannelParams,
      querystring: search,
      answers: {
        200: EventPage,
        ...(strict
          ? {
              400: `\`VALIDATION_ERROR\`: the request is not as described, or has ${Object.keys(NOT_PUBLIC).join(" or ")}.`,
            }
          : {}),
        404: NO_CHANNEL,
      },
    }),
    async (request, reply) => {
      const { channel_id: channelId } = request.params;
      checkChannel(context, channelId);
      const { limit, offset, chain_environment, ...query } = request.query;
      if (strict) refuseNotPublic(query);
      const filter: EventFilter = {
        ...defined({
          type: query.type,
          chain_selector: query.chain_selector,
          status: query.status,
          address: query.address,
          service: query.service,
          watcher_id: query.watcher_id,
          wallet_id: query.wallet_id,
          operation_id: query.operation_id,
          query_id: query.query_id,
          wallet_operation_id: query.wallet_operation_id?.replace(/^0+(?=\d)/, ""),
          event_name: query.event_name,
        }),
        created: defined({
          gt: query["created.gt"],
          gte: query["created.gte"],
          lt: query["created.lt"],
          lte: query["created.lte"],
        }),
      };
      refuseInapplicable(filter);
      reply.type("application/json; charset=utf-8");
      if (networksOf(context, chain_environment).length === 0) return '{"events":[],"has_more":false}';
      const page = await store.events.search(channelId, filter, {
        limit,
        offset,
        isHidden: deliveries.hidden,
        isAbandoned: abandonment(request),
      });
      return answerOf(page, reply, (bytes) => deliveries.page(bytes, limit, { skipsByCount: true }));
    },
  );

  app.get(
    "/channels/:channel_id/events/search/:event_id",
    documented("events", "getEvent", {
      summary: "One event",
      params: Type.Object({ channel_id: Id, event_id: Id }),
      answers: {
        200: EventAnswer,
        404: `${NO_CHANNEL} \`EVENT_NOT_FOUND\`: the channel has no such event.`,
      },
    }),
    (request, reply) => {
      const { channel_id: channelId } = request.params;
      checkChannel(context, channelId);
      const stored = store.events.get(channelId, request.params.event_id);
      const event = stored === undefined ? undefined : deliveries.event(stored);
      if (event === undefined) throw notFound("EVENT_NOT_FOUND", "event", request.params.event_id);
      reply.type("application/json; charset=utf-8");
      return event;
    },
  );
}

/** A large page as a body that is read while it is sent. It ends when the caller has gone. */
function inParts(reply: FastifyReply, { bytes, parts }: Exclude<StoredPage, Buffer>): Readable {
  reply.header("content-length", bytes);
  return Readable.from(parts, { objectMode: false });
}

/**
 * Frees the memory of a page when it has been sent, or the caller has gone. The garbage collector would scan the whole
 * heap every few dozen pages: more than half of the work of a page, with pauses of tens of milliseconds.
 */
export function freeWhenSent({ raw }: { raw: ServerResponse }, { buffer, byteLength }: Buffer): void {
  // A small page is part of shared memory.
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== byteLength) return;
  raw.once("close", () => {
    // Before that, another thread may read it for compression.
    if (raw.headersSent) buffer.transfer(0);
  });
}

/** @throws ApiError 400 */
function refuseNotPublic(query: object): void {
  const name = Object.keys(NOT_PUBLIC).find((one) => Object.hasOwn(query, one));
  if (name === undefined) return;
  const instead = name === "query_id" ? "Ask for the query itself." : "Search by wallet_operation_id.";
  throw invalid(`Events cannot be searched by ${name}. ${instead}`);
}

function refuseInapplicable(filter: EventFilter): void {
  for (const type of filter.type ?? []) {
    const applicable: readonly string[] = SEARCH_FILTERS[type as EventType];
    for (const name of Object.keys(filter)) {
      if (name === "type" || name === "created") continue;
      if (!applicable.includes(name)) {
        throw invalid(
          `The filter ${name} does not apply to events of type ${type}. Leave one of the two out.`,
        );
      }
    }
  }
}
