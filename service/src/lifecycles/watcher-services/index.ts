import type { Chain } from "../../chain/chain.ts";
import type { StoredWatcher } from "../../store/watchers.ts";
import { erc20 } from "./erc20.ts";
import { dta, dvp } from "./extensions.ts";
import { sensor } from "./sensor.ts";
import type { WatcherService } from "./service.ts";

/** The services that watchers can belong to, by name. */
export const WATCHER_SERVICES: Readonly<Record<string, WatcherService>> = {
  erc20,
  sensor,
  "dta.v2": dta,
  dvp,
};

/** Why a watcher cannot be provisioned; undefined when it can. */
export async function serviceRefusal(chain: Chain, watcher: StoredWatcher): Promise<string | undefined> {
  const { service: name } = watcher;
  if (name === undefined) return undefined;
  const service = serviceNamed(name);
  if (service === undefined) {
    return `There is no watcher service ${JSON.stringify(name)}. There are: ${Object.keys(WATCHER_SERVICES).join(", ")}.`;
  }
  const names = service.events.map((fragment) => fragment.name);
  const missing = watcher.events.find((event) => !names.includes(event));
  if (missing !== undefined) {
    return `The service ${name} has no event ${JSON.stringify(missing)}. It has: ${names.join(", ")}.`;
  }
  return await service.refusal(chain, watcher.address, watcher.service_config ?? {});
}

export function serviceNamed(name: string): WatcherService | undefined {
  return Object.hasOwn(WATCHER_SERVICES, name) ? WATCHER_SERVICES[name] : undefined;
}
