import type {
  Abi,
  AbiParameter,
  Operation,
  ShownTransaction,
  TransactionInput,
  WireTransaction,
} from "../../../src/index.ts";
import { valueNames } from "../../../src/protocol/abi-names.ts";
import { type Library, loadLibrary } from "../library.ts";
import { COIN_PLACES } from "../shared/stored-values.ts";
import { toldUnits } from "./call-decimals.ts";
import {
  type ContractRegistry,
  type DeployedContract,
  deployedContracts,
  type Units,
  unitsAt,
} from "./contract-registry.ts";

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
  /** The amounts among them, and what its author's form took in tokens, by name; where the decimals are known. */
  tokens?: object;
  /** The bytes, where they cannot be decoded. */
  data?: string;
};

const HEX_INTEGER = /^0x[0-9a-f]+$/i;

/** What is sent with a call of a draft, so that the person who finalizes it can read it. */
export type Snapshot = { function_signature: string; metadata: Record<string, unknown> };

/** For data that was encoded by this ABI. `inTokens` are the positions of the parameters that a form took in tokens. */
export async function snapshotOf(
  abi: Abi,
  data: string,
  inTokens: readonly number[] = [],
): Promise<Snapshot | undefined> {
  const { decodeFunctionCall, listFunctions } = await loadLibrary();
  const call = decodeFunctionCall({ abi, data });
  const listed = listFunctions(abi).find(({ signature }) => signature === call?.signature);
  if (!call || !listed) return undefined;
  const tokens = inTokens.length > 0 ? { tokens: [...inTokens] } : {};
  return {
    function_signature: call.signature,
    metadata: { args: call.args, inputs: listed.inputs, ...tokens },
  };
}

/**
 * The calls of an operation in readable form. A snapshot is not signed, so only its names are used, and what it says is
 * in tokens: function and values are decoded from the bytes, and a snapshot of another function is ignored.
 *
 * @param service whose tokens have told their decimals before: none is asked here
 */
export async function previewOf(
  registry: ContractRegistry,
  chainSelector: string,
  calls: ReadonlyArray<
    TransactionInput & { preview?: unknown } & Omit<ShownTransaction, keyof WireTransaction>
  >,
  service?: string,
): Promise<CallPreview[]> {
  const library = await loadLibrary();
  return Promise.all(
    calls.map(async ({ to, value, data, preview, preview_snapshot, ...proxy }) => {
      const wei = inDigits(String(value).trim());
      const implementation = proxy.upgraded_to ?? proxy.implementation;
      const paid = {
        ...{ to, value: wei, ...(isPositive(wei) ? { ether: inEther(library, wei) } : {}) },
        ...(implementation === undefined ? {} : { implementation }),
      };
      const contracts = await deployedContracts(registry, chainSelector, to);
      const [first] = contracts;
      const units =
        unitsAt(registry, chainSelector, to) ?? toldUnits(registry, { chainSelector, to, data }, service);
      const snapshot = partsOf(preview_snapshot ?? preview);
      const decoded = first
        ? decodedByContract(library, contracts, { units, snapshot }, data)
        : decodedBySnapshot(library, { units, snapshot }, data);
      const name = decoded?.contract ?? first?.name;
      const call = { ...paid, ...(name === undefined ? {} : { contract: name }) };
      if (decoded) return { ...call, ...decoded.words };
      return data === "0x" || data === "" ? call : { ...call, data };
    }),
  );
}

/** Of an operation as this service shows it. */
export function previewOfOperation(
  registry: ContractRegistry,
  { chain_selector, transactions }: Operation,
  service: string,
): Promise<CallPreview[]> {
  return previewOf(registry, chain_selector, transactions, service);
}

/** A decoded call, and the name of the contract node whose ABI was used. */
type Decoded = { contract?: string; words: Pick<CallPreview, "function" | "args" | "tokens"> };

/** What is known beside the bytes of a call. */
type Known = { units: Units | undefined; snapshot: Partial<Snapshot> };

/** Where this Node-RED has the contract, only its ABI names the functions. */
function decodedByContract(
  library: Library,
  contracts: readonly DeployedContract[],
  { units, snapshot }: Known,
  data: string,
): Decoded | undefined {
  for (const { name, abi } of contracts) {
    const call = decodedBy(library, abi, data);
    if (!call) continue;
    const { signature, args } = call;
    const listed = library.listFunctions(abi).find((one) => one.signature === signature);
    const marked = snapshot.function_signature === signature ? snapshot.metadata?.tokens : undefined;
    const tokens = listed && units && tokensOf(library, args, listed.inputs, units, marked);
    return { contract: name, words: { function: signature, args, ...(tokens ? { tokens } : {}) } };
  }
  return undefined;
}

/** `marked` are the positions of the parameters that the author's form took in tokens: it may hold anything. */
function tokensOf(
  { amountsInTokens }: Library,
  args: object,
  inputs: readonly AbiParameter[],
  { decimals, amounts }: Units,
  marked: unknown,
): object | undefined {
  const positions = new Set<unknown>(Array.isArray(marked) ? marked : []);
  const found = [
    amountsInTokens(args, inputs, decimals, amounts),
    ...valueNames(inputs).map((name, index) => {
      const input = inputs[index];
      return input && positions.has(index)
        ? amountsInTokens(args, [{ ...input, name }], decimals, [name])
        : undefined;
    }),
  ].filter((one) => one !== undefined);
  return found.length > 0 ? Object.assign({}, ...found) : undefined;
}

function decodedBy({ decodeFunctionCall }: Library, abi: Abi, data: string) {
  try {
    return decodeFunctionCall({ abi, data });
  } catch {
    return undefined;
  }
}

/** A message, or a service, may write it as hex. */
function inDigits(value: string): string {
  return HEX_INTEGER.test(value) ? String(BigInt(value)) : value;
}

function isPositive(wei: string): boolean {
  return /[1-9]/.test(wei);
}

function inEther({ fromSmallestUnit }: Library, wei: string): string {
  return fromSmallestUnit(wei, COIN_PLACES.ether);
}

/** A service may show anything. */
function partsOf(snapshot: unknown): Partial<Snapshot> {
  return snapshot ?? {};
}

function decodedBySnapshot(library: Library, known: Known, data: string): Decoded | undefined {
  const { function_signature: signature, metadata } = known.snapshot;
  if (typeof signature !== "string") return undefined;
  const name = signature.split("(", 1)[0];
  const named = [
    { type: "function", name, inputs: metadata?.inputs, outputs: [], stateMutability: "payable" },
  ];
  for (const text of [named, `function ${signature}`]) {
    try {
      const abi = library.parseAbi(text);
      const decoded = decodedByContract(library, [{ name: "", abi }], known, data);
      if (decoded) return { words: decoded.words };
    } catch {
      // The snapshot may hold anything that its author wrote.
    }
  }
  return undefined;
}
