import type { Node } from "node-red";
import { type ContractRegistry, contractsAt } from "../../common/contracts/contract-registry.ts";
import type { SignerNode, WalletNode } from "../../common/fields/config-nodes.ts";
import type { FlowNodes } from "../../common/fields/flow-settings.ts";
import { storedNodes } from "../../common/fields/flow-settings.ts";
import { ADDRESS } from "../../common/shared/field-checks.ts";
import { oneLine } from "./values.ts";

/** What a person calls an address; undefined where this Node-RED does not know it. */
export type NameOf = (address: string, chainSelector: string) => string | undefined;

const LONGEST_NAME = 60;
/** Signers and wallets rarely change; contracts are looked up at once. */
const KEPT_MS = 10_000;

/**
 * The names of the contracts, wallets and signers that are set up in this Node-RED. What an event says about itself is
 * never a name: its sender chooses that.
 */
export class KnownNames {
  readonly #nodes: FlowNodes;
  readonly #registry: ContractRegistry;
  #found: { at: number; names: ReadonlyMap<string, string> } | undefined;

  /** With the wallets and signers of the last `load`. */
  readonly known: NameOf = (address, chainSelector) => {
    const [contract] = contractsAt(this.#registry, chainSelector, address).flatMap(nameOf);
    const key = address.toLowerCase();
    return contract ?? this.#found?.names.get(`${chainSelector} ${key}`) ?? this.#found?.names.get(key);
  };

  constructor(nodes: FlowNodes, registry: ContractRegistry) {
    this.#nodes = nodes;
    this.#registry = registry;
  }

  /** Never rejects: a wallet whose address cannot be looked up has no name. */
  async load(signal: AbortSignal): Promise<NameOf> {
    if (this.#found === undefined || performance.now() - this.#found.at > KEPT_MS) {
      const names = new Map([...(await this.#signers()), ...(await this.#wallets(signal))]);
      this.#found = { at: performance.now(), names };
    }
    return this.known;
  }

  /** A signer has the same address on every network. */
  async #signers(): Promise<Array<[string, string]>> {
    const nodes = storedNodes<SignerNode>(this.#nodes, "crec-signer");
    const found = nodes.map(async (node): Promise<Array<[string, string]>> => {
      const [name] = nameOf(node);
      if (name === undefined || node.signer?.problem !== undefined) return [];
      const address = await node.signer?.knownAddress();
      return address ? [[address.toLowerCase(), name]] : [];
    });
    return (await Promise.all(found)).flat();
  }

  async #wallets(signal: AbortSignal): Promise<Array<[string, string]>> {
    const nodes = storedNodes<WalletNode>(this.#nodes, "crec-wallet");
    const found = nodes.map(async ({ name, wallet }): Promise<Array<[string, string]>> => {
      if (wallet === undefined || wallet.problem !== undefined) return [];
      const address = await knownAddress(wallet, signal);
      const called = name || (ADDRESS.test(wallet.label) ? "" : wallet.label);
      if (address === undefined || called === "") return [];
      return [[`${wallet.chainSelector} ${address.toLowerCase()}`, oneLine(called, LONGEST_NAME)]];
    });
    return (await Promise.all(found)).flat();
  }
}

/** A service that does not answer must not hold up an alert. */
const LOOK_UP_MS = 2_000;

async function knownAddress(wallet: WalletNode["wallet"], signal: AbortSignal): Promise<string | undefined> {
  const ends = AbortSignal.any([signal, AbortSignal.timeout(LOOK_UP_MS)]);
  return wallet.address(ends).catch(() => undefined);
}

function nameOf({ name }: Partial<Pick<Node, "name">>): string[] {
  return name ? [oneLine(name, LONGEST_NAME)] : [];
}

/** `treasury (0x12ab…9f01)`; in full without a name, since addresses that look alike are easy to make. */
export function addressText(address: string, name: string | undefined): string {
  return name === undefined ? address : `${name} (${address.slice(0, 6)}…${address.slice(-4)})`;
}
