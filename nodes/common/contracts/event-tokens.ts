import type { Abi, ChannelEvent, DecodedEvent, DecodedWatcherEvent } from "../../../src/index.ts";
import { isEvent } from "../../../src/protocol/index.ts";
import type { ContractRef } from "../fields/config-nodes.ts";
import type { Library } from "../library.ts";
import { type ContractRegistry, contractsAt, unitsAt } from "./contract-registry.ts";

/** A contract event as a message has it: with its amounts in tokens, under their names in `params`, where they are known. */
type WithTokens = DecodedWatcherEvent & { tokens?: Record<string, unknown> };

/** The contract that a node's form names, with its ABI. */
type ChosenContract = { contract: ContractRef; abi: Abi };

/**
 * Decodes events: names parameters by the chosen contract's ABI, and adds the amounts in tokens to events of a contract
 * that is known here, which is the chosen one, or that of any contract node.
 */
export function eventDecoder(
  registry: ContractRegistry,
  library: Library,
  chosen: ChosenContract | undefined,
): (event: ChannelEvent) => DecodedEvent {
  return (event) => {
    const decoded = library.decodeEvent(event, chosen?.abi);
    if (!isEvent(event, "watcher.event")) return decoded;
    return withTokens(registry, library, decoded as DecodedWatcherEvent, chosen?.contract);
  };
}

function withTokens(
  registry: ContractRegistry,
  library: Library,
  decoded: DecodedWatcherEvent,
  chosen: ContractRef | undefined,
): WithTokens {
  const { contract: address, chainSelector, chainSelectorUnsigned } = decoded;
  // The same address can be another contract on another network, so an unsigned one does not count.
  if (address === undefined || chainSelectorUnsigned) return decoded;
  const units = unitsAt(registry, chainSelector, address, chosen);
  if (units === undefined) return decoded;
  const { decimals, amounts } = units;
  const abi = abiFor(registry, library, decoded, chosen);
  const tokens = library.eventTokens(decoded, { decimals, amounts, abi });
  if (tokens === undefined) return decoded;
  // A person who looks at the message finds both together.
  const { name, params, ...rest } = decoded;
  return { name, params, tokens, ...rest };
}

/** The ABI that has the event, of those of its contract. */
function abiFor(
  registry: ContractRegistry,
  library: Library,
  { name, chainSelector, contract = "" }: DecodedWatcherEvent,
  chosen: ContractRef | undefined,
): Abi | undefined {
  const nodes = contractsAt(registry, chainSelector, contract).map((node) => node.contract);
  for (const one of chosen ? [chosen, ...nodes] : nodes) {
    const abi = one.abiNow(library);
    if (abi?.some((item) => item.type === "event" && item.name === name)) return abi;
  }
  return undefined;
}
