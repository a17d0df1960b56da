import type { NodeAPI } from "node-red";
import type { DecodedEvent } from "../../src/index.ts";
import { contractRegistry, contractsAt } from "../common/contracts/contract-registry.ts";
import type { ContractNode } from "../common/fields/config-nodes.ts";
import type { Library } from "../common/library.ts";
import type { UnitsReport } from "../common/shared/form-types.ts";
import { looksLikeToken } from "../common/shared/token-abi.ts";

/** More contracts than a person sets up for one node. */
const MOST = 50;

/** Remembers which contracts have sent events without amounts in tokens, to say in the form what is missing. */
export class UnitsNote {
  readonly #RED: NodeAPI;
  readonly #library: Library;
  readonly #seen = new Map<string, { chainSelector: string; address: string }>();

  constructor(RED: NodeAPI, library: Library) {
    this.#RED = RED;
    this.#library = library;
  }

  note(decoded: DecodedEvent): void {
    if (!("params" in decoded) || "tokens" in decoded || this.#seen.size >= MOST) return;
    const { contract: address, chainSelector } = decoded;
    if (typeof address !== "string" || typeof chainSelector !== "string") return;
    // Others would take its places.
    if (contractsAt(contractRegistry(this.#RED), chainSelector, address).length === 0) return;
    this.#seen.set(`${chainSelector} ${address}`, { chainSelector, address });
  }

  /** By what is deployed now. */
  report(): UnitsReport {
    const [noDecimals, differing]: [UnitsReport["noDecimals"], UnitsReport["differing"]] = [[], []];
    for (const { chainSelector, address } of this.#seen.values()) {
      const nodes = contractsAt(contractRegistry(this.#RED), chainSelector, address);
      const decimals = new Set(nodes.flatMap(({ contract }) => contract.decimals ?? []));
      const token = nodes.find((node) => this.#isToken(node));
      if (decimals.size > 1) differing.push(nameOf(nodes[0]));
      if (decimals.size === 0 && token) noDecimals.push({ id: token.id, name: nameOf(token) });
    }
    return { noDecimals, differing };
  }

  #isToken({ contract }: ContractNode): boolean {
    const abi = contract.abiNow(this.#library) ?? [];
    return looksLikeToken(this.#library.listFunctions(abi), this.#library.listEvents(abi));
  }
}

function nameOf(node: ContractNode | undefined): string {
  return node?.name || node?.contract.address || "";
}
