import { decoded, freshAddress } from "./chain.ts";
import type { Json } from "./client.ts";
import type { World } from "./world.ts";

export const ids = ({ events }: Json) => events.map(({ event_id }: Json) => event_id);
export const offsets = ({ events }: Json): number[] => events.map(({ headers }: Json) => headers.offset);
/** A watcher's channel with a transfer in it, at every confidence. */
export const transfer = (world: World) =>
  world.once("transfer", async () => {
    const { channel, id } = await world.watcher();
    const to = freshAddress();
    const paid = await world.expect(200, "POST", "/local/faucet", { to, amount: "12345678901234567890123" });
    const events = await world.until("both confidences of a transfer", async () => {
      const all = await world.events(channel);
      const found = all.filter(
        ({ headers, payload }) =>
          headers.type === "watcher.event" && decoded(payload.verifiable_event).chain_event.params.to === to,
      );
      return found.length >= 2 ? found : undefined;
    });
    return { channel, id, to, paid, events };
  });
