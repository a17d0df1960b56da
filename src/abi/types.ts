import type { AbiInput } from "../protocol/index.ts";

/** A parameter with canonical type (`uint256`, never `uint`); `name` is empty where it has none. */
export type AbiParameter = AbiInput;

export type AbiFunction = {
  type: "function";
  name: string;
  inputs: AbiParameter[];
  outputs: AbiParameter[];
  stateMutability: "pure" | "view" | "nonpayable" | "payable";
};

export type AbiEvent = { type: "event"; name: string; anonymous: boolean; inputs: AbiParameter[] };

export type AbiError = { type: "error"; name: string; inputs: AbiParameter[] };

/** What can be called, watched or decoded. Constructors and the like are left out. */
export type AbiItem = AbiFunction | AbiEvent | AbiError;

export type Abi = AbiItem[];
