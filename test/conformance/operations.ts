import { digestOf } from "./chain.ts";
import type { Json } from "./client.ts";
import type { World } from "./world.ts";

export const CONFIRMED_PATH = [
  "accepted",
  "sending",
  "sent",
  "broadcasting",
  "confirmed_latest",
  "confirmed_safe",
  "confirmed",
];
export const ids = ({ data }: Json) => data.map(({ operation_id }: Json) => operation_id);
export const statuses = (events: Json[]) => events.map(({ payload }) => payload.status);
export const seconds = () => Math.floor(Date.now() / 1000);

export const operationsPath = async (world: World) =>
  `/channels/${(await world.wallet()).channel}/operations`;
export const statusEvents = async (world: World, id: string) =>
  world.statusEvents((await world.wallet()).channel, "operation_id", id);
export const finalizing = async (world: World, { operation, body }: { operation: Json; body: Json }) => ({
  status: "accepted",
  signature: (await world.signed(body)).signature,
  digest: operation.digest ?? digestOf(body, world.network.chain_id),
});

/** One operation that went all the way, for the rows that look at it. */
export const confirmed = (world: World) =>
  world.once("confirmed operation", async () => {
    const sent = await world.submit();
    const final = world.has("local") ? ["confirmed"] : ["confirmed", "confirmed_latest"];
    return { ...sent, operation: await world.status(sent.path, ...final) };
  });
