export { Channels, type CreateChannel, type ListChannels, type UpdateChannel } from "./channels.ts";
export { type ClientAnswer, type ClientCall, CrecClient, type CrecClientOptions } from "./client.ts";
export { Events, type PollEvents, type SearchEvents } from "./events.ts";
export { Networks } from "./networks.ts";
export type { Listing } from "./pages.ts";
export { WaitError, type WaitOptions } from "./wait.ts";
export { type CreateWatcher, type ListWatchers, Watchers } from "./watchers.ts";
