import Type, { type Static } from "typebox";
import { checksumAddress } from "viem";
import {
  type Channel,
  type Hex,
  LIMITS,
  PAGE_LIMITS,
  QUERY_STATUSES,
  type Query,
  type QueryParams,
  ZERO_ADDRESS,
} from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import { ApiError, invalid } from "../errors.ts";
import type { QueryRunner } from "../lifecycles/query.ts";
import { channelOf, checkNetwork, networksOf, queryOf } from "../lookup.ts";
import { runOfQuery } from "../oracles/workflows.ts";
import { type StoredQuery, shownQuery } from "../store/queries.ts";
import { defined } from "../store/rows.ts";
import { NO_CHANNEL } from "./channels.ts";
import { NO_NETWORK } from "./networks.ts";
import { documented } from "./openapi.ts";
import { pageOf, QueryAccepted, QueryAnswer } from "./resources.ts";
import { abandonment, type Routes } from "./routes.ts";
import {
  Address,
  ChainSelector,
  ChannelParams,
  filterOf,
  Id,
  listQuery,
  many,
  NETWORK_FILTERS,
  oneOf,
  STRICT,
} from "./schemas.ts";

const QUERY_KINDS = ["evm_call"] as const;
const QueryIds = Type.Object({ channel_id: Id, query_id: Id });

const Selection = Type.Union(
  [
    Type.Object({ type: Type.Literal("latest") }, STRICT),
    Type.Object({ type: Type.Literal("finalized") }, STRICT),
    Type.Object(
      { type: Type.Literal("block_number"), block_number: Type.String({ pattern: "^[0-9]{1,78}$" }) },
      STRICT,
    ),
  ],
  {
    title: "BlockSelection",
    description:
      'one of {"type": "latest"}, {"type": "finalized"} and {"type": "block_number", "block_number": "<decimal digits>"}',
  },
);
const NewQuery = Type.Object(
  {
    idempotency_key: Type.String({
      minLength: 1,
      maxLength: LIMITS.idempotencyKeyLength,
      description: `a text of 1 to ${LIMITS.idempotencyKeyLength} characters`,
    }),
    query_kind: oneOf(QUERY_KINDS),
    chain_selector: ChainSelector,
    params: Type.Object(
      {
        contract_address: Address,
        call_data: Type.String({
          pattern: "^0x([0-9a-fA-F]{2})*$",
          description: "call data: 0x and whole bytes of hex",
        }),
        block_selection: Selection,
        from_address: Type.Optional(Address),
      },
      { title: "QueryParams", ...STRICT },
    ),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: `an object of at most ${LIMITS.queryMetadataBytes} bytes as JSON`,
      }),
    ),
  },
  { title: "NewQuery", ...STRICT },
);

export function queryRoutes(app: Routes, context: Context, runner: QueryRunner): void {
  const { store, injected, strict } = context;

  app.post(
    "/channels/:channel_id/queries",
    documented("queries", "createQuery", {
      summary: "Creates a query; the same key with the same request returns the same query",
      params: ChannelParams,
      body: NewQuery,
      answers: {
        202: QueryAccepted,
        404: "`CHANNEL_NOT_FOUND`: there is no such channel, or it is archived.",
        409: `\`IDEMPOTENCY_KEY_MISMATCH\`: the key belongs to another query of the channel. ${NO_NETWORK}`,
      },
    }),
    (request, reply) => {
      const { body } = request;
      const channel = channelOf(context, request.params.channel_id);
      refuseQueriesOfArchived(channel);
      checkNetwork(context, body.chain_selector);
      refuseLargeMetadata(body.metadata);
      const { query, isNew } = runner.create({
        channel_id: channel.channel_id,
        idempotencyKey: body.idempotency_key,
        query_kind: body.query_kind,
        chain_selector: body.chain_selector,
        params: queryParams(body.params),
        metadata: body.metadata,
      });
      if (isNew) injected.absences.onCreate("query", query.query_id);
      reply.code(202);
      return { query_id: query.query_id, status: query.status };
    },
  );

  app.get(
    "/channels/:channel_id/queries",
    documented("queries", "listQueries", {
      summary: "Lists the channel's queries, newest first",
      params: ChannelParams,
      querystring: listQuery(PAGE_LIMITS.queries, {
        status: many(oneOf(QUERY_STATUSES)),
        query_kind: many(filterOf(QUERY_KINDS, strict)),
        ...NETWORK_FILTERS,
      }),
      answers: { 200: pageOf("QueryList", QueryAnswer), 404: NO_CHANNEL },
    }),
    async (request) => {
      const channel = channelOf(context, request.params.channel_id);
      const { query } = request;
      if (networksOf(context, query.chain_environment).length === 0) return { data: [], has_more: false };
      const page = await store.queries.list({
        absent: injected.absences.ids,
        isAbandoned: abandonment(request),
        channelId: channel.channel_id,
        limit: query.limit,
        offset: query.offset,
        ...defined({
          status: query.status,
          queryKind: query.query_kind,
          chainSelector: query.chain_selector,
        }),
      });
      return { ...page, data: page.data.map(shown) };
    },
  );

  app.get(
    "/channels/:channel_id/queries/:query_id",
    documented("queries", "getQuery", {
      summary: "One query",
      params: QueryIds,
      answers: {
        200: QueryAnswer,
        404: `${NO_CHANNEL} \`QUERY_NOT_FOUND\`: the channel has no such query.`,
      },
    }),
    (request) => shown(queryOf(context, request.params)),
  );
}

function shown(query: StoredQuery): Query {
  return { ...shownQuery(query), ...(query.sending_at === undefined ? {} : runOfQuery(query)) };
}

function queryParams(params: Static<typeof NewQuery>["params"]): Required<QueryParams> {
  const { block_selection: selection } = params;
  return {
    contract_address: checksumAddress(params.contract_address as Hex),
    call_data: `0x${params.call_data.slice(2).toLowerCase()}`,
    block_selection:
      selection.type === "block_number"
        ? { type: selection.type, block_number: String(BigInt(selection.block_number)) }
        : { type: selection.type },
    from_address: checksumAddress((params.from_address ?? ZERO_ADDRESS) as Hex),
  };
}

/** As the public guide says: for a new query, an archived channel is not there. Its queries can still be read. */
function refuseQueriesOfArchived({ status, channel_id }: Channel): void {
  if (status !== "archived") return;
  const message = `The channel ${channel_id} is archived and takes no new queries.`;
  throw new ApiError(404, { type: "NOT_FOUND", code: "CHANNEL_NOT_FOUND", message });
}

function refuseLargeMetadata(metadata: unknown): void {
  if (metadata === undefined) return;
  if (Buffer.byteLength(JSON.stringify(metadata)) > LIMITS.queryMetadataBytes) {
    throw invalid(`metadata must have at most ${LIMITS.queryMetadataBytes} bytes as JSON.`);
  }
}
