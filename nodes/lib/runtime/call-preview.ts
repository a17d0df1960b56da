import type { NodeAPI } from "node-red";
import type {
  Abi,
  Operation,
  ShownTransaction,
  TransactionInput,
  WireTransaction,
} from "../../../src/index.ts";
import { COIN_PLACES } from "../shared/coin-units.ts";
import { toldUnits } from "./call-decimals.ts";
import { type DeployedContract, deployedContracts, type Units, unitsAt } from "./deployed-contracts.ts";
import { type Library, loadLibrary } from "./library.ts";

/** A call of an operation in readable form, for approval before it is signed. */
export type CallPreview = {
  to: string;
  /** Wei. */
  value: string;
  /** The same in ether, where the call sends a value. */
  ether?: string;
  /** Where the called address is a proxy: the contract whose code it runs. Only the local service tells it. */
  implementation?: string;
  /** The name of the contract node with this address, if this Node-RED has one. */
  contract?: string;
  /** The function's signature, and its values by name. */
  function?: string;
  args?: object;
  /** The amounts among them, by name, in tokens; where the contract node has decimals. */
  tokens?: object;
  /** The bytes, where they cannot be decoded. */
  data?: string;
};

/** What is sent with a call of a draft, so that the person who finalizes it can read it. */
export type Snapshot = { function_signature: string; metadata: Record<string, unknown> };

/** For data that was encoded by this ABI. */
export async function snapshotOf(abi: Abi, data: string): Promise<Snapshot | undefined> {
  const { decodeFunctionCall, listFunctions } = await loadLibrary();
  const call = decodeFunctionCall({ abi, data });
  const listed = listFunctions(abi).find(({ signature }) => signature === call?.signature);
  if (!call || !listed) return undefined;
  return { function_signature: call.signature, metadata: { args: call.args, inputs: listed.inputs } };
}

/**
 * The calls of an operation in readable form. A snapshot is not signed, so only its names are used: function and values
 * are decoded from the bytes, and a snapshot of another function is ignored.
 *
 * @param service whose tokens have told their decimals before: none is asked here
 */
export async function previewOf(
  RED: NodeAPI,
  chainSelector: string,
  calls: ReadonlyArray<
    TransactionInput & { preview?: unknown } & Omit<ShownTransaction, keyof WireTransaction>
  >,
  service?: string,
): Promise<CallPreview[]> {
  const library = await loadLibrary();
  return Promise.all(
    calls.map(async ({ to, value, data, preview, preview_snapshot, ...proxy }) => {
      const wei = String(value);
      const implementation = proxy.upgraded_to ?? proxy.implementation;
      const paid = {
        ...{ to, value: wei, ...(isPositive(wei) ? { ether: inEther(library, wei) } : {}) },
        ...(implementation === undefined ? {} : { implementation }),
      };
      const contracts = await deployedContracts(RED, chainSelector, to);
      const [first] = contracts;
      const units = unitsAt(RED, chainSelector, to) ?? toldUnits(RED, { chainSelector, to, data }, service);
      const decoded = first
        ? decodedByContract(library, contracts, units, data)
        : decodedBySnapshot(library, preview_snapshot ?? preview, units, data);
      const name = decoded?.contract ?? first?.name;
      const call = { ...paid, ...(name === undefined ? {} : { contract: name }) };
      if (decoded) return { ...call, ...decoded.words };
      return data === "0x" || data === "" ? call : { ...call, data };
    }),
  );
}

/** Of an operation as the service shows it. */
export function previewOfOperation(
  RED: NodeAPI,
  { chain_selector, transactions }: Operation,
): Promise<CallPreview[]> {
  return previewOf(RED, chain_selector, transactions);
}

/** A decoded call, and the name of the contract node whose ABI was used. */
type Decoded = { contract?: string; words: Pick<CallPreview, "function" | "args" | "tokens"> };

/** Where this Node-RED has the contract, only its ABI names the functions. */
function decodedByContract(
  library: Library,
  contracts: readonly DeployedContract[],
  units: Units | undefined,
  data: string,
): Decoded | undefined {
  for (const { name, abi } of contracts) {
    const call = decodedBy(library, abi, data);
    if (!call) continue;
    const { signature, args } = call;
    const listed = library.listFunctions(abi).find((one) => one.signature === signature);
    const tokens =
      listed && units && library.amountsInTokens(args, listed.inputs, units.decimals, units.amounts);
    return { contract: name, words: { function: signature, args, ...(tokens ? { tokens } : {}) } };
  }
  return undefined;
}

function decodedBy({ decodeFunctionCall }: Library, abi: Abi, data: string) {
  try {
    return decodeFunctionCall({ abi, data });
  } catch {
    return undefined;
  }
}

function isPositive(wei: string): boolean {
  return /[1-9]/.test(wei);
}

function inEther({ fromSmallestUnit }: Library, wei: string): string {
  return fromSmallestUnit(wei, COIN_PLACES.ether);
}

function decodedBySnapshot(
  library: Library,
  snapshot: unknown,
  units: Units | undefined,
  data: string,
): Decoded | undefined {
  const { function_signature: signature, metadata } = (snapshot ?? {}) as Partial<Snapshot>;
  if (typeof signature !== "string") return undefined;
  const name = signature.split("(", 1)[0];
  const named = [
    { type: "function", name, inputs: metadata?.inputs, outputs: [], stateMutability: "payable" },
  ];
  for (const text of [named, `function ${signature}`]) {
    try {
      const abi = library.parseAbi(text);
      const decoded = decodedByContract(library, [{ name: "", abi }], units, data);
      if (decoded) return { words: decoded.words };
    } catch {
      // The snapshot may hold anything that its author wrote.
    }
  }
  return undefined;
}
