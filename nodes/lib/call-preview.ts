import type { NodeAPI } from "node-red";
import type { Abi, Operation, TransactionInput } from "../../src/index.ts";
import { type DeployedContract, deployedContract } from "./deployed-contracts.ts";
import { type Library, loadLibrary } from "./library.ts";

/** A call of an operation, for a person to judge before it is signed. */
export type CallPreview = {
  to: string;
  /** Wei. */
  value: string;
  /** What the contract is called here, where it is set up in this Node-RED. */
  contract?: string;
  /** The function's signature, and its values by name. */
  function?: string;
  args?: object;
  /** The bytes, where it is not known what they mean. */
  data?: string;
};

/** What is sent with a call of a draft, so that whoever finalizes it can read it. */
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
 * The calls of an operation in words. A snapshot is not signed, so it only lends its names: function and values are
 * those of the bytes, and a snapshot of another function than these call is of no use.
 */
export async function previewOf(
  RED: NodeAPI,
  chainSelector: string,
  calls: ReadonlyArray<TransactionInput & { preview?: unknown; preview_snapshot?: unknown }>,
): Promise<CallPreview[]> {
  const library = await loadLibrary();
  return Promise.all(
    calls.map(async ({ to, value, data, preview, preview_snapshot }) => {
      const contract = await deployedContract(RED, chainSelector, to);
      const call = { to, value: String(value), ...(contract ? { contract: contract.name } : {}) };
      const decoded = contract
        ? decodedByContract(library, contract, data)
        : decodedBySnapshot(library, preview_snapshot ?? preview, data);
      if (decoded) return { ...call, function: decoded.signature, args: decoded.args };
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

/** Where the contract is known, nobody else has a say in what its functions are called. */
function decodedByContract({ decodeFunctionCall }: Library, { abi }: DeployedContract, data: string) {
  try {
    return decodeFunctionCall({ abi, data });
  } catch {
    return undefined;
  }
}

function decodedBySnapshot(library: Library, snapshot: unknown, data: string) {
  const { function_signature: signature, metadata } = (snapshot ?? {}) as Partial<Snapshot>;
  if (typeof signature !== "string") return undefined;
  const name = signature.split("(", 1)[0];
  const named = [
    { type: "function", name, inputs: metadata?.inputs, outputs: [], stateMutability: "payable" },
  ];
  for (const text of [named, `function ${signature}`]) {
    try {
      const decoded = library.decodeFunctionCall({ abi: library.parseAbi(text), data });
      if (decoded) return decoded;
    } catch {
      // Whoever made the draft may describe it in words of their own.
    }
  }
  return undefined;
}
