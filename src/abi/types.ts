import type { AbiInput } from "../protocol/index.ts";

/** A parameter with canonical type (`uint256`, never `uint`); `name` is empty where it has none. */
export type AbiParameter = AbiInput;

/** A function. */
export type AbiFunction = {
  type: "function";
  name: string;
  inputs: AbiParameter[];
  outputs: AbiParameter[];
  stateMutability: "pure" | "view" | "nonpayable" | "payable";
};

/** An event. */
export type AbiEvent = { type: "event"; name: string; anonymous: boolean; inputs: AbiParameter[] };

/** A custom error. */
export type AbiError = { type: "error"; name: string; inputs: AbiParameter[] };

/** An item that can be called, watched or decoded. Constructors and the like are left out. */
export type AbiItem = AbiFunction | AbiEvent | AbiError;

/** The interface of a contract, as `parseAbi` reads it. */
export type Abi = AbiItem[];

/** An item of an ABI that cannot be used, or what an interface inherits from and is not in the text. */
export type UnusableItem = {
  /** Its name; empty where it has none. */
  name: string;
  /** A sentence that says why. */
  message: string;
};

/** What of an ABI can be used, and what cannot. */
export type ReadAbi = { abi: Abi; unusable: UnusableItem[] };

/** One of several ABIs. `name` is that of its contract or constant; empty where it has none. */
export type NamedAbi = ReadAbi & { name: string };
