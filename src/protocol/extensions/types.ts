/** An event that watchers of an extension can report. */
export type ExtensionEvent = {
  name: string;
  /** Its parameters as Solidity writes them, such as `uint256 indexed settlementId`. */
  inputs: string;
  /** The contracts that emit it, of the extension's `contracts`. */
  emitters: readonly string[];
  /** What has happened when it arrives, in one sentence. */
  meaning: string;
};

/** A service of the platform that knows one kind of contracts, so that its watchers need no ABI. */
export type Extension = {
  /** As `service` of a watcher and of its events. */
  service: string;
  /** What people call it. */
  title: string;
  /** The human-readable ABI of each of its contracts, by the contract's name. It has the contract's events too. */
  contracts: Readonly<Record<string, string>>;
  /** Those that a watcher can ask for. */
  events: readonly ExtensionEvent[];
  /** The values of enums, by the name of the parameter. The number is the position. */
  words: Readonly<Record<string, readonly string[]>>;
};

/** The lines of an ABI for the events of one contract. */
export function eventLines(events: readonly ExtensionEvent[], emitter: string): string {
  return events
    .filter(({ emitters }) => emitters.includes(emitter))
    .map(({ name, inputs }) => `event ${name}(${inputs})`)
    .join("\n");
}
