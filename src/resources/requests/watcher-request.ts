import { ArgumentError } from "../../errors.ts";
import {
  aList,
  anything,
  checkedBy,
  jsonObject,
  optional,
  reading,
  request,
  text,
} from "../../options/index.ts";
import { type EventFragment, LIMITS } from "../../protocol/index.ts";
import { checkAddress, checkName, checkSelector, isObject } from "./checks.ts";

/** A watcher to create: with `abi`, or with `service` for a contract that a service of the platform describes. */
export type CreateWatcher = {
  /** Unique in the channel, with at least 4 characters. */
  name: string;
  /** The network of the contract. */
  chain_selector: string;
  /** The address of the contract. */
  address: string;
  /** Names of the events to watch. */
  events: readonly string[];
  /** The descriptions of these events, as `eventFragments` gives them. */
  abi?: readonly EventFragment[] | undefined;
  /** The service that describes the contract. */
  service?: string | undefined;
  /** Settings of that service, sent as they are. */
  service_config?: Record<string, unknown> | undefined;
};

/** The service stores a watcher's name without the spaces around it, so it is only found without them. */
function trimmed(name: string): string {
  return typeof name === "string" ? name.trim() : name;
}

/** A request, checked. @throws {ArgumentError} with the path of the value. */
export function watcherOf(given: CreateWatcher): CreateWatcher {
  const watcher = readWatcher(given, "watcher");
  const requested = { ...watcher, name: trimmed(watcher.name) };
  reading("watcher", () => checkWatcher(requested));
  return requested;
}

const readWatcher = request<CreateWatcher>({
  // These have checks of their own.
  ...{ name: anything(), chain_selector: anything(), address: anything(), events: anything() },
  abi: optional(aList()),
  service: optional(text),
  service_config: optional(jsonObject),
});

/** @throws {ArgumentError} naming `name`. */
export function watcherChangesOf(given: { name: string }): { name: string } {
  const { name, ...changes } = readChanges(given, "changes");
  return { ...changes, name: trimmed(name) };
}

const readChanges = request<{ name: string }>({
  name: checkedBy((name: string) => checkName(trimmed(name), LIMITS.watcherNameMinLength)),
});

function checkWatcher({ name, chain_selector, address, events, abi, service }: CreateWatcher): void {
  checkName(name, LIMITS.watcherNameMinLength);
  checkSelector(chain_selector);
  checkAddress("address", address);
  if (!Array.isArray(events) || events.length === 0) {
    throw new ArgumentError("events", "Give the name of at least one event to watch.");
  }
  if ((abi === undefined) === (service === undefined)) {
    throw new ArgumentError("abi", "A watcher needs either the ABI of its events or the name of a service.");
  }
  if (abi !== undefined) checkFragments(abi);
  const names = abi?.map((fragment) => fragment.name);
  for (const [index, event] of events.entries()) {
    text(event, `events[${index}]`);
    if (names === undefined || names.includes(event)) continue;
    const message = `The ABI has no event named "${event}". It has: ${names.join(", ") || "none"}.`;
    throw new ArgumentError(`events[${index}]`, message, { code: "EVENT_NOT_IN_ABI" });
  }
}

/** The service takes event fragments only. Callers without types may pass the whole ABI of a contract. */
function checkFragments(abi: unknown): void {
  if (!Array.isArray(abi)) throw new ArgumentError("abi", "The ABI must be a list of events.");
  for (const [index, fragment] of abi.entries()) {
    const { type, inputs } = isObject(fragment) ? fragment : {};
    if (type !== "event") {
      const message = `abi[${index}] is not an event. Give events only: eventFragments(abi, names) selects them.`;
      throw new ArgumentError(`abi[${index}]`, message);
    }
    if (inputs === undefined || inputs === null) continue;
    if (Array.isArray(inputs) && inputs.every((one) => isObject(one) && typeof one.type === "string")) {
      refuseHollow(inputs, `abi[${index}].inputs`);
      continue;
    }
    const message = `abi[${index}].inputs must be a list of inputs, each with its type.`;
    throw new ArgumentError(`abi[${index}].inputs`, message);
  }
}

/** Without the components of a tuple, the signature is another one: the watcher would never report. */
function refuseHollow(inputs: readonly unknown[], path: string): void {
  for (const [index, input] of inputs.entries()) {
    const { type, components } = isObject(input) ? input : {};
    if (typeof type !== "string" || !type.startsWith("tuple")) continue;
    const at = `${path}[${index}]`;
    if (Array.isArray(components) && components.length > 0) refuseHollow(components, `${at}.components`);
    else
      throw new ArgumentError(
        at,
        `${at} is a tuple without components. Give the event as the compiler writes it.`,
      );
  }
}
