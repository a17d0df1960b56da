import type { Node } from "node-red";
import type { Abi, CrecClient, Signer, Verifier, VerifyConfig } from "../../../src/index.ts";
import type { Library } from "../library.ts";
import { type CodedError, nodeError, toCodedError } from "../shared/errors.ts";
import { isForReadOnlyUser } from "../status/read-limit.ts";
import { chosenNode, type FlowNodes } from "./flow-settings.ts";

/** What a `crec-connection` offers to the nodes that use it. */
export type Connection = {
  /** The service's base URL: part of the identity of a cursor. */
  baseUrl: string;
  graphqlUrl: string | undefined;
  /** What is wrong with the settings, or `undefined`. */
  problem: CodedError | undefined;
  verification: VerifyConfig;
  /** In a rehearsal, where the chain is not asked behind a node's back. */
  isRehearsed?: true;
  /** @throws the problem of the settings */
  client(): Promise<CrecClient>;
  verifier(): Promise<Verifier>;
};

/** What a `crec-channel` offers. */
export type ChannelRef = {
  label: string;
  problem: CodedError | undefined;
  connection(): Connection;
  /**
   * The channel's id, looked up by name where only that is known, and remembered.
   * @throws CHANNEL_NOT_FOUND
   */
  resolve(signal: AbortSignal): Promise<string>;
};

/** What a `crec-contract` offers. */
export type ContractRef = {
  chainSelector: string;
  address: string;
  /** Of a token: the places behind the point. */
  decimals: number | undefined;
  /** The parameters that are amounts; empty for the usual names. */
  amounts: readonly string[];
  problem: CodedError | undefined;
  /** @throws ABI_INVALID */
  abi(): Promise<Abi>;
  /** The same without a wait, once the library is loaded; undefined where it cannot be read. */
  abiNow(library: Pick<Library, "readAbi">): Abi | undefined;
};

/** What a `crec-signer` offers. */
export type SignerRef = {
  problem: CodedError | undefined;
  /** The key service that holds the key, as people call it; undefined where Node-RED has the key. */
  custodian: string | undefined;
  /** Whether a signature may wait for a person. */
  mayAskPerson: boolean;
  /** The address of its key, as far as it is known without asking the key service. Never rejects. */
  knownAddress(): Promise<string | undefined>;
  /** @throws INVALID_PRIVATE_KEY, SIGNER_KEY_CHANGED, or what the key service answers */
  signer(): Promise<Signer>;
};

/** What a `crec-wallet` offers. */
export type WalletRef = {
  /** The wallet's name, or its address. */
  label: string;
  chainSelector: string;
  /** The type that the form names; undefined for that of the signer's key. */
  type: string | undefined;
  /** Of a new wallet: the address that may change its signers; undefined for that of the signer. */
  owner: string | undefined;
  /** What a new wallet is configured with beside its signers. */
  configuration: Record<string, unknown> | undefined;
  problem: CodedError | undefined;
  connection(): Connection;
  /** It signs only if its key fits the type of the wallet, as far as that is known: else SIGNER_TYPE_DIFFERS. */
  signer(): SignerRef;
  /**
   * The address of the smart account, looked up by name where only that is known, and remembered.
   * @throws WALLET_NOT_FOUND, WALLET_NOT_DEPLOYED
   */
  address(signal: AbortSignal): Promise<string>;
};

/** Node-RED leaves out what was never typed in. */
export type ConnectionCredentials = { apiKey?: string | undefined };

export type ConnectionNode = Node<ConnectionCredentials> & { connection: Connection };
export type ChannelNode = Node & { channel: ChannelRef };
export type ContractNode = Node & { contract: ContractRef };

/** By the names of the fields. */
export type SignerCredentials = Readonly<Record<string, string | undefined>>;
export type SignerNode = Node<SignerCredentials> & { signer: SignerRef };
export type WalletNode = Node & { wallet: WalletRef };

/** @throws CONNECTION_MISSING, CONFIG_NODE_DISABLED, CONFIG_NODE_DELETED, or the problem of the connection's settings */
export function connectionOf(nodes: FlowNodes, id: string | undefined): Connection {
  return refOf(nodes, id, "connection", "CONNECTION_MISSING");
}

/** @throws CHANNEL_MISSING, CONFIG_NODE_DISABLED, CONFIG_NODE_DELETED, or the problem of the channel's or its connection's settings */
export function channelOf(nodes: FlowNodes, id: string | undefined): ChannelRef {
  return refOf(nodes, id, "channel", "CHANNEL_MISSING");
}

/** @throws CONTRACT_MISSING, CONFIG_NODE_DISABLED, CONFIG_NODE_DELETED, or the problem of the contract's settings */
export function contractOf(nodes: FlowNodes, id: string | undefined): ContractRef {
  return refOf(nodes, id, "contract", "CONTRACT_MISSING");
}

/** @throws SIGNER_MISSING, CONFIG_NODE_DISABLED, CONFIG_NODE_DELETED, or the problem of the signer's settings */
export function signerOf(nodes: FlowNodes, id: string | undefined): SignerRef {
  return refOf(nodes, id, "signer", "SIGNER_MISSING");
}

/** @throws WALLET_MISSING, CONFIG_NODE_DISABLED, CONFIG_NODE_DELETED, or the problem of the wallet's, its signer's or its connection's settings */
export function walletOf(nodes: FlowNodes, id: string | undefined): WalletRef {
  return refOf(nodes, id, "wallet", "WALLET_MISSING");
}

/** The first problem that asking for a config node meets, for one that depends on it. */
export function problemIn(ask: () => unknown): CodedError | undefined {
  try {
    ask();
    return undefined;
  } catch (error) {
    return toCodedError(error);
  }
}

/**
 * Why a chosen config node cannot be used: nothing is chosen, or what is chosen does not run. `kind`: as in `No kind is
 * chosen`; `code`: where nothing is chosen.
 */
export function notUsable(nodes: FlowNodes, id: string | undefined, kind: string, code: string): CodedError {
  const found = id ? chosenNode(nodes, id) : undefined;
  if (!id || (found && !found.isDisabled && found.disabledTab === undefined))
    return nodeError(code, `No ${kind} is chosen. Open the node, choose one, and deploy.`);
  if (!found) {
    const message = `The chosen ${kind} is not in the flows any more. Open the node, choose another one, and deploy.`;
    return nodeError("CONFIG_NODE_DELETED", message);
  }
  const { label, isDisabled, disabledTab } = found;
  return nodeError(
    "CONFIG_NODE_DISABLED",
    isDisabled
      ? `The chosen ${kind} "${label}" is disabled. Enable it, or choose another one, and deploy.`
      : `The chosen ${kind} "${label}" belongs to the disabled tab "${disabledTab}". Enable the tab, or choose another ${kind}, and deploy.`,
  );
}

type Refs = {
  connection: Connection;
  channel: ChannelRef;
  contract: ContractRef;
  signer: SignerRef;
  wallet: WalletRef;
};

function refOf<Kind extends keyof Refs>(
  nodes: FlowNodes,
  id: string | undefined,
  kind: Kind,
  code: string,
): Refs[Kind] {
  const node = id ? (nodes.getNode(id) as Partial<Refs> | null) : null;
  const ref = node?.[kind];
  if (!ref) throw notUsable(nodes, id, kind, code);
  if (ref.problem) throw ref.problem;
  return ref;
}

/** What is looked up once for all messages that need it. A look-up that failed is not remembered. */
export function sharedLookUp<T>(
  lookUp: (signal: AbortSignal) => Promise<T>,
): (signal: AbortSignal) => Promise<T> {
  let known: Promise<T> | undefined;
  return async (signal) => {
    // It may be refused, or wait for long: a flow does not join it.
    if (!known && isForReadOnlyUser()) {
      const found = await lookUp(signal);
      known ??= Promise.resolve(found);
      return found;
    }
    for (;;) {
      known ??= lookUp(signal);
      const current = known;
      try {
        return await current;
      } catch (error) {
        if (known === current) known = undefined;
        // The look-up of another node, which ended with that node: this node does its own.
        if (toCodedError(error).code !== "ABORTED" || signal.aborted) throw error;
      }
    }
  };
}
