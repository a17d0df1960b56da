import Type, { type TSchema } from "typebox";
import { checksumAddress } from "viem";
import { completeFragment, parseAbi } from "../../../src/abi/index.ts";
import {
  type EventFragment,
  LIMITS,
  PAGE_LIMITS,
  WATCHER_STATUSES,
  type Watcher,
} from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import { invalid, messageOf } from "../errors.ts";
import { refuseArchivedChannel } from "../lifecycles/channel.ts";
import { createWatcher, updateWatcher } from "../lifecycles/watcher.ts";
import { channelOf, checkNetwork, confidenceLevelOf, networksOf, watcherOf } from "../lookup.ts";
import { workflowOfWatcher } from "../oracles/workflows.ts";
import { defined } from "../store/rows.ts";
import type { StoredWatcher } from "../store/watchers.ts";
import { NO_CHANNEL } from "./channels.ts";
import { NO_NETWORK } from "./networks.ts";
import { documented } from "./openapi.ts";
import { NewEventFragment, pageOf, StrictEventFragment, WatcherAnswer, WatcherSummary } from "./resources.ts";
import { abandonment, type Routes } from "./routes.ts";
import {
  Address,
  ChainSelector,
  ChannelParams,
  Id,
  listQuery,
  many,
  Name,
  NamePart,
  NETWORK_FILTERS,
  oneOf,
} from "./schemas.ts";

const WatcherParams = Type.Object({ channel_id: Id, watcher_id: Id });

/** Like `Name`, and long enough without leading and trailing blanks. */
const WatcherName = Type.String({
  minLength: LIMITS.watcherNameMinLength,
  maxLength: LIMITS.nameLength,
  pattern: `^\\s*\\S[\\s\\S]{${LIMITS.watcherNameMinLength - 2},}\\S\\s*$`,
  description: `a text of ${LIMITS.watcherNameMinLength} to ${LIMITS.nameLength} characters, not counting leading and trailing blanks`,
});

/** `fragment` is the schema of one event of its ABI. */
function newWatcher<T extends TSchema>(fragment: T) {
  return Type.Object(
    {
      name: WatcherName,
      chain_selector: ChainSelector,
      address: Address,
      events: Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description: "a list of at least one event name, each in the abi if one is given",
      }),
      abi: Type.Optional(
        Type.Array(fragment, { minItems: 1, description: "a list of at least one event fragment" }),
      ),
      service: Type.Optional(Type.String()),
      service_config: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    },
    { title: "NewWatcher" },
  );
}
const NewWatcher = newWatcher(NewEventFragment);
/** Each of its values is also one of `NewWatcher`. */
const StrictNewWatcher = newWatcher(StrictEventFragment) as TSchema as typeof NewWatcher;
/** Either an ABI or a service, and a configuration only for a service. */
const NEW_WATCHER_RULES = {
  oneOf: [{ required: ["abi"] }, { required: ["service"] }],
  dependentRequired: { service_config: ["service"] },
};
/** The public schema allows a new name of one character, and the public limits do not. */
function watcherChange(name: typeof Name) {
  return Type.Object(
    { name: Type.Optional(name), status: Type.Optional(oneOf(["archived"] as const)) },
    { title: "WatcherChange" },
  );
}

const NO_WATCHER = `${NO_CHANNEL} \`WATCHER_NOT_FOUND\`: the channel has no such watcher.`;
const NAME_TAKEN = "`WATCHER_ALREADY_EXISTS`: the name is taken.";

export function watcherRoutes(app: Routes, context: Context): void {
  const { store, injected, strict } = context;

  app.post(
    "/channels/:channel_id/watchers",
    documented("watchers", "createWatcher", {
      summary: "Creates a watcher of a contract, by its ABI or by a service",
      params: ChannelParams,
      body: strict ? StrictNewWatcher : NewWatcher,
      bodyRules: NEW_WATCHER_RULES,
      answers: { 201: WatcherAnswer, 404: NO_CHANNEL, 409: `${NAME_TAKEN} ${NO_NETWORK}` },
    }),
    (request, reply) => {
      const channel = channelOf(context, request.params.channel_id);
      refuseArchivedChannel(channel, "The channel is archived and takes no new watchers.");
      const { chain_selector, address, events, abi, service, service_config } = request.body;
      const name = request.body.name.trim();
      checkNetwork(context, chain_selector);
      if ((abi === undefined) === (service === undefined)) {
        throw invalid("Either abi or service is required, and not both.");
      }
      if (service === undefined && service_config !== undefined) {
        throw invalid("service_config is allowed only with a service.");
      }
      // A service checks the events when the watcher is provisioned: an unknown one makes it `failed`.
      const fragments = abi === undefined ? [] : eventFragments(abi);
      if (abi !== undefined) refuseMissingEvents(events, fragments);
      const watcher = createWatcher(context, {
        channel_id: channel.channel_id,
        name,
        chain_selector,
        address: checksumAddress(address as `0x${string}`),
        events,
        abi: fragments,
        ...defined({ service, service_config }),
      });
      injected.absences.onCreate("watcher", watcher.watcher_id);
      reply.code(201);
      return shownWatcher(context, watcher);
    },
  );

  app.get(
    "/channels/:channel_id/watchers",
    documented("watchers", "listWatchers", {
      summary: "Lists the channel's watchers, oldest first; archived ones only when asked for by status",
      params: ChannelParams,
      querystring: listQuery(PAGE_LIMITS.watchers, {
        name: NamePart,
        status: many(oneOf(WATCHER_STATUSES)),
        ...NETWORK_FILTERS,
        address: Type.Optional(Address),
        service: many(Type.String()),
        event_name: Type.Optional(Type.String()),
      }),
      answers: { 200: pageOf("WatcherList", WatcherSummary), 404: NO_CHANNEL },
    }),
    async (request) => {
      const channel = channelOf(context, request.params.channel_id);
      const { chain_selector, chain_environment, event_name, ...filter } = request.query;
      if (networksOf(context, chain_environment).length === 0) return { data: [], has_more: false };
      const page = await store.watchers.list({
        ...filter,
        absent: injected.absences.ids,
        isAbandoned: abandonment(request),
        channelId: channel.channel_id,
        ...defined({ chainSelector: chain_selector, eventName: event_name }),
      });
      return { ...page, data: page.data.map((watcher) => summary(context, watcher)) };
    },
  );

  app.get(
    "/channels/:channel_id/watchers/:watcher_id",
    documented("watchers", "getWatcher", {
      summary: "One watcher",
      params: WatcherParams,
      answers: { 200: WatcherAnswer, 404: NO_WATCHER },
    }),
    (request) => shownWatcher(context, watcherOf(context, request.params)),
  );

  app.patch(
    "/channels/:channel_id/watchers/:watcher_id",
    documented("watchers", "updateWatcher", {
      summary: "Renames a watcher, or begins to archive it",
      params: WatcherParams,
      body: watcherChange(strict ? WatcherName : Name),
      answers: {
        200: WatcherAnswer,
        202: WatcherAnswer,
        404: NO_WATCHER,
        409: `${NAME_TAKEN} Without a code: the watcher cannot be archived now.`,
      },
    }),
    (request, reply) => {
      const watcher = watcherOf(context, request.params);
      const name = request.body.name === undefined ? watcher.name : request.body.name.trim();
      const archive = request.body.status === "archived";
      const changed = updateWatcher(context, watcher, { name, archive });
      if (archive) reply.code(202);
      return shownWatcher(context, changed);
    },
  );
}

/** As the API returns it: without internal fields, and `archive_failed` as `failed`. */
export function shownWatcher(context: Context, stored: StoredWatcher): Watcher {
  const { fromBlock, abi, ...watcher } = stored;
  const status = watcher.status === "archive_failed" ? "failed" : watcher.status;
  return {
    ...watcher,
    ...workflowOfWatcher(stored),
    confidence_level: confidenceLevelOf(context),
    status,
    ...(watcher.service === undefined ? { abi } : {}),
  };
}

function summary(context: Context, watcher: StoredWatcher): Watcher {
  const { events, abi, ...rest } = shownWatcher(context, watcher);
  return rest;
}

/**
 * The fragments in canonical form, such as `uint256` for `uint`, so that their events match.
 *
 * @throws ApiError 400 when one is not what an ABI has.
 */
function eventFragments(abi: unknown[]): EventFragment[] {
  try {
    return parseAbi(abi).flatMap((item) => (item.type === "event" ? [completeFragment(item)] : []));
  } catch (error) {
    throw invalid(messageOf(error));
  }
}

function refuseMissingEvents(events: string[], abi: Array<{ name: string }>): void {
  const missing = events.find((name) => !abi.some((fragment) => fragment.name === name));
  if (missing !== undefined) {
    throw invalid(
      `events names ${JSON.stringify(missing)}, which is not in the abi. It has: ${abi.map(({ name }) => name).join(", ")}.`,
    );
  }
}
