import type { UnusualRecipient } from "../common/shared/chain.ts";
import type { CallDef } from "../common/shared/stored-values.ts";

/** The request and the answer of `POST crec/operation/preview`. */

/** Settings of a contract as they are in the editor, deployed or not. */
export type ContractText = {
  name?: string;
  chainSelector?: string;
  address?: string;
  abi?: string;
  decimals?: string;
  amounts?: string;
};

/** Settings of a wallet as they are in the editor. `wallet` is a name or an address. */
export type WalletText = { id?: string; chainSelector?: string; wallet?: string; connection?: string };

export type PreviewRequest = {
  source?: string;
  /** The id of the channel's node: what tokens of its service have told is known. */
  channel?: string;
  calls?: CallDef[];
  /** Where a list of raw transactions is read from, instead of the calls. */
  transactions?: string;
  transactionsType?: string;
  /** By the id of the config node. */
  contracts?: Record<string, ContractText>;
  wallet?: WalletText;
  /** Minutes. */
  deadline?: string;
};

/** A value as the wallet receives it. For one that only a message gives, `text` says where it is read from. */
export type PreviewedValue = {
  text: string;
  /** Of the text; integers of contracts and amounts only. */
  unit?: "token" | "ether" | "gwei" | "wei";
  /** The same in the smallest unit, where the text is in another. */
  smallest?: string;
  /** The same in tokens or ether, where the text is in a smaller unit. */
  larger?: { text: string; unit: "token" | "ether" };
  /** The text that the bytes were given as. */
  typed?: string;
  /** Known at run time only. */
  later?: true;
  /** What is wrong with it: a sentence. */
  problem?: string;
};

/** `data` begins with the selector of the function that is called. */
export type DecimalsQuestion = { chainSelector: string; address: string; data: string };
export type ToldDecimals = { decimals: number };

export type PreviewedCall = {
  /** The contract's name; missing for raw bytes. */
  contract?: string;
  /** Of the function. */
  signature?: string;
  to: PreviewedValue;
  args?: Array<PreviewedValue & { name: string; type: string }>;
  /** Raw bytes; of a function's call once all its values are known. */
  data?: PreviewedValue;
  amount: PreviewedValue;
  /** Of a proxy that is called: the contract whose code it runs. Only the local service tells it. */
  implementation?: string;
  /** Set where the token itself has to tell its decimals: `POST crec/operation/decimals`. */
  asks?: DecimalsQuestion;
  /** Of tokens or coin; the form warns. */
  unusual?: UnusualRecipient;
  /** What is wrong with the call as a whole. */
  problem?: string;
};

/** What is signed, by EIP-712. */
export type PreviewedDigest = {
  digest: string;
  domain: { name: string; version: string; chainId: number; verifyingContract: string };
  id: string;
  /** Unix seconds; 0 for none. */
  deadline: string;
};

export type Preview = {
  calls: PreviewedCall[];
  digest?: PreviewedDigest;
  /** Why there is no digest. */
  why?: string;
};
