import Type from "typebox";
import { CHANNEL_STATUSES, PAGE_LIMITS } from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import { createChannel, updateChannel } from "../lifecycles/channel.ts";
import { channelOf } from "../lookup.ts";
import { defined } from "../store/rows.ts";
import { documented } from "./openapi.ts";
import { ChannelAnswer, pageOf } from "./resources.ts";
import { abandonment, type Routes } from "./routes.ts";
import { ChannelParams, Description, listQuery, many, Name, NamePart, oneOf } from "./schemas.ts";

const NewChannel = Type.Object(
  { name: Name, description: Type.Optional(Description) },
  { title: "NewChannel" },
);
const ChannelChange = Type.Object(
  {
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    status: Type.Optional(oneOf(["archived"] as const)),
  },
  { title: "ChannelChange" },
);

export const NO_CHANNEL = "`CHANNEL_NOT_FOUND`: there is no such channel.";
const NAME_TAKEN = "`CHANNEL_ALREADY_EXISTS`: the name is taken.";

export function channelRoutes(app: Routes, context: Context): void {
  const { store, injected } = context;

  app.post(
    "/channels",
    documented("channels", "createChannel", {
      summary: "Creates a channel",
      body: NewChannel,
      answers: { 201: ChannelAnswer, 409: NAME_TAKEN },
    }),
    (request, reply) => {
      const channel = createChannel(context, defined(request.body));
      injected.absences.onCreate("channel", channel.channel_id);
      reply.code(201);
      return channel;
    },
  );

  app.get(
    "/channels",
    documented("channels", "listChannels", {
      summary: "Lists channels, oldest first; archived ones only when asked for by status",
      querystring: listQuery(PAGE_LIMITS.channels, {
        name: NamePart,
        status: many(oneOf(CHANNEL_STATUSES)),
      }),
      answers: { 200: pageOf("ChannelList", ChannelAnswer) },
    }),
    (request) =>
      store.channels.list({
        ...request.query,
        absent: injected.absences.ids,
        isAbandoned: abandonment(request),
      }),
  );

  app.get(
    "/channels/:channel_id",
    documented("channels", "getChannel", {
      summary: "One channel",
      params: ChannelParams,
      answers: { 200: ChannelAnswer, 404: NO_CHANNEL },
    }),
    (request) => channelOf(context, request.params.channel_id),
  );

  app.patch(
    "/channels/:channel_id",
    documented("channels", "updateChannel", {
      summary: "Renames, describes or archives a channel",
      params: ChannelParams,
      body: ChannelChange,
      answers: {
        200: ChannelAnswer,
        404: NO_CHANNEL,
        409: `${NAME_TAKEN} Without a code: the channel has watchers that are pending, active or archiving.`,
      },
    }),
    (request) => {
      const channel = channelOf(context, request.params.channel_id);
      return updateChannel(context, channel, defined(request.body));
    },
  );
}
