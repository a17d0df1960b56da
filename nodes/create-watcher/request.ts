import type { Node, NodeAPI, NodeDef } from "node-red";
import type { CreateWatcher } from "../../src/index.ts";
import { addressOr } from "../lib/runtime/calls.ts";
import { contractOf } from "../lib/runtime/config-nodes.ts";
import { oneOf, readField, requireText } from "../lib/runtime/fields.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import type { CrecMessage } from "../lib/runtime/message.ts";
import { nodeError } from "../lib/shared/errors.ts";
import { splitNames } from "../lib/shared/split-names.ts";

export type CreateWatcherDef = NodeDef & {
  channel?: string;
  watcherName?: string;
  watcherNameType?: string;
  source?: "contract" | "service";
  contract?: string;
  /** Names or signatures of events, separated by commas; or a list, by message. */
  events?: string;
  eventsType?: string;
  service?: string;
  serviceType?: string;
  serviceConfig?: string;
  serviceConfigType?: string;
  /** With a service. */
  chainSelector?: string;
  chainSelectorType?: string;
  /** What a service looks at; with a contract, another one of the same ABI. */
  address?: string;
  addressType?: string;
  /** Seconds to wait until the watcher is active; 0 sends it on as soon as it is created. */
  timeout?: string | number;
};

/**
 * The watcher that is wanted, for this message.
 * @throws what is wrong with a field, before anything is sent
 */
export async function requestOf(
  RED: NodeAPI,
  node: Node,
  def: CreateWatcherDef,
  msg: CrecMessage,
): Promise<CreateWatcher> {
  const required = (label: string, value: string | undefined, type: string | undefined) =>
    requireText(RED, node, msg, { label, value, type });
  const source = oneOf("Watches", def.source, ["contract", "service"]);
  const name = await required("Watcher", def.watcherName, def.watcherNameType);
  const events = eventsOf(
    await readField(RED, node, msg, { label: "Events", value: def.events, type: def.eventsType }),
  );
  const { checksumAddress, eventFragments } = await loadLibrary();
  if (source === "service") {
    const service = await required("Service", def.service, def.serviceType);
    return {
      name,
      events,
      service,
      service_config: await settingsOf(RED, node, def, msg),
      chain_selector: (await required("Network", def.chainSelector, def.chainSelectorType)).trim(),
      address: checksumAddress(await required("Address", def.address, def.addressType), "The address"),
    };
  }
  const contract = contractOf(RED, def.contract);
  const fragments = eventFragments(await contract.abi(), events);
  const other = { value: def.address ?? "", type: def.addressType ?? "str" };
  const address = await addressOr(RED, node, msg, other, contract.address, "Address");
  return {
    name,
    // By name, also where a signature says which of several events of one name is meant.
    events: [...new Set(fragments.map((fragment) => fragment.name))],
    abi: fragments,
    chain_selector: contract.chainSelector,
    address: checksumAddress(address, "The contract's address"),
  };
}

async function settingsOf(
  RED: NodeAPI,
  node: Node,
  { serviceConfig, serviceConfigType }: CreateWatcherDef,
  msg: CrecMessage,
): Promise<Record<string, unknown>> {
  const field = {
    label: "Service settings",
    value: serviceConfig || "{}",
    type: serviceConfigType ?? "json",
  };
  const settings = await readField(RED, node, msg, field);
  if (settings === undefined || settings === null) return {};
  if (typeof settings === "object" && !Array.isArray(settings)) return settings as Record<string, unknown>;
  throw nodeError(
    "INVALID_FIELD",
    '"Service settings" must be an object, as JSON in the form or by message.',
  );
}

function eventsOf(value: unknown): string[] {
  const names = splitNames(Array.isArray(value) ? value.map(String).join(",") : String(value ?? ""));
  if (names.length > 0) return names;
  throw nodeError("MISSING_VALUE", '"Events" is empty. Name at least one event of the contract.');
}
