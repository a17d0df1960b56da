import Type from "typebox";
import { CHANNEL_STATUSES, type Channel, PAGE_LIMITS } from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import type { Store } from "../store/store.ts";
import { conflict, notFound } from "./errors.ts";
import type { Routes } from "./routes.ts";
import { Description, Id, listQuery, many, Name, oneOf } from "./schemas.ts";

const ChannelParams = Type.Object({ channel_id: Id });

export function channelRoutes(app: Routes, { store }: Context): void {
  app.post(
    "/channels",
    {
      schema: {
        tags: ["channels"],
        body: Type.Object({ name: Name, description: Type.Optional(Description) }),
      },
    },
    (request, reply) => {
      const { name, description } = request.body;
      refuseTakenName(store, name);
      reply.code(201);
      return store.channels.create(description === undefined ? { name } : { name, description });
    },
  );

  app.get(
    "/channels",
    {
      schema: {
        tags: ["channels"],
        querystring: listQuery(PAGE_LIMITS.channels, {
          name: Type.Optional(Type.String()),
          status: many(oneOf(CHANNEL_STATUSES)),
        }),
      },
    },
    (request) => store.channels.list(request.query),
  );

  app.get("/channels/:channel_id", { schema: { tags: ["channels"], params: ChannelParams } }, (request) =>
    channelOf(store, request.params.channel_id),
  );

  app.patch(
    "/channels/:channel_id",
    {
      schema: {
        tags: ["channels"],
        params: ChannelParams,
        body: Type.Object({
          name: Type.Optional(Name),
          description: Type.Optional(Description),
          status: Type.Optional(oneOf(["archived"] as const)),
        }),
      },
    },
    (request) => {
      const channel = channelOf(store, request.params.channel_id);
      const { name, description, status } = request.body;
      if (name !== undefined && name !== channel.name) refuseTakenName(store, name);
      if (status === "archived" && store.watchers.anyRunning(channel.channel_id)) {
        throw conflict(
          "The channel still has watchers that are pending, active or archiving. Archive them first.",
        );
      }
      const changed: Channel = {
        ...channel,
        ...(name === undefined ? {} : { name }),
        ...(description === undefined ? {} : { description }),
        ...(status === undefined ? {} : { status }),
      };
      store.channels.update(changed);
      return changed;
    },
  );
}

/** @throws ApiError 404 `CHANNEL_NOT_FOUND` */
export function channelOf(store: Store, channelId: string): Channel {
  const channel = store.channels.get(channelId);
  if (channel === undefined) throw notFound("CHANNEL_NOT_FOUND", "channel", channelId);
  return channel;
}

function refuseTakenName(store: Store, name: string): void {
  if (store.channels.hasName(name)) {
    throw conflict(`A channel named ${JSON.stringify(name)} exists already.`, "CHANNEL_ALREADY_EXISTS");
  }
}
