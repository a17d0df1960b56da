import type { NodeAPI } from "node-red";

type Events = NodeAPI["events"];

/** How many deploys, that of the start included, until what Node-RED could not decrypt is replaced. */
const deploysLeft = new WeakMap<Events, number>();

/** Remembers whether Node-RED decrypts its credentials. To be called while nodes are registered: flows are loaded later. */
export function watchCredentials({ events }: Pick<NodeAPI, "events">): void {
  if (deploysLeft.has(events)) return;
  deploysLeft.set(events, 0);
  events.on("runtime-event", (event: { id?: unknown; payload?: { error?: unknown } } | undefined) => {
    if (event?.payload?.error === "credentials_load_failed") deploysLeft.set(events, 2);
    else if (event?.id === "runtime-deploy") {
      deploysLeft.set(events, Math.max(0, (deploysLeft.get(events) ?? 0) - 1));
    }
  });
}

/** What to do about a credential that is missing since Node-RED could not decrypt any; undefined where it could. */
export function lostCredentials({ events }: Pick<NodeAPI, "events">): string | undefined {
  if (!deploysLeft.get(events)) return undefined;
  return "Node-RED could not decrypt its credentials when it started: its credentialSecret is another one, as after a restore. Start it with the one that it had, before you deploy. If that is lost, enter the value again.";
}
