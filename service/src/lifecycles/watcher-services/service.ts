import { eventFragments, parseAbi } from "../../../../src/abi/index.ts";
import { type EventFragment, EXTENSIONS, type Hex } from "../../../../src/protocol/index.ts";
import type { Chain } from "../../chain/chain.ts";

/** The `service_config` of a watcher. */
export type ServiceConfig = Readonly<Record<string, unknown>>;

/** A decoded log: the event's name, its contract, its parameters as they are signed, and its block. */
export type ServiceLog = {
  event: string;
  address: string;
  params: Readonly<Record<string, unknown>>;
  block: { number: number; hash: Hex };
};

/** A watcher service knows one kind of contract: its watchers need no ABI. */
export type WatcherService = {
  readonly events: readonly EventFragment[];
  /** Why a watcher with these settings cannot work on this contract; undefined when it can. */
  refusal(chain: Chain, address: string, config: ServiceConfig): Promise<string | undefined>;
  /** The `data` of the signed event, or undefined for a log that the settings leave out. */
  dataOf(chain: Chain, log: ServiceLog, config: ServiceConfig): Promise<Record<string, unknown> | undefined>;
};

/** Why settings with other members than these are refused; undefined when there are none. */
export function unknownSetting(config: ServiceConfig, known: readonly string[]): string | undefined {
  const other = Object.keys(config).find((name) => !known.includes(name));
  if (other === undefined) return undefined;
  const has = known.length === 0 ? "this service has none" : `it has: ${known.join(", ")}`;
  return `service_config has no setting ${JSON.stringify(other)}; ${has}.`;
}

/** Why nothing can be watched at an address; undefined where there is a contract. */
export async function missingContract(chain: Chain, address: string): Promise<string | undefined> {
  return (await chain.code(address)) === "0x" ? `There is no contract at ${address}.` : undefined;
}

/** The events of the extension, and which contracts it accepts: any, since others may have the same events. */
export function extensionService(name: string): Pick<WatcherService, "events" | "refusal"> {
  const extension = EXTENSIONS.find(({ service }) => service === name);
  const events = (extension?.events ?? []).map((event) => `event ${event.name}(${event.inputs})`);
  const abi = parseAbi(events.join("\n"));
  return {
    events: eventFragments(
      abi,
      (extension?.events ?? []).map((event) => event.name),
    ),
    async refusal(chain, address, config) {
      return unknownSetting(config, []) ?? (await missingContract(chain, address));
    },
  };
}
