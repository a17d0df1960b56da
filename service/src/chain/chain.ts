import type { Confidence, Hex, Network } from "../../../src/protocol/index.ts";
import { KNOWN_CHAINS } from "../../../src/protocol/index.ts";
import { type Log, silentLog } from "../log.ts";
import { messageOf, originOf, ServiceProblem } from "../problem.ts";
import type { Block, CallResult, Heads, RawLog, Receipt } from "./chain-data.ts";
import { type Abilities, abilitiesOf, nodeName, ownChain, refused } from "./node/abilities.ts";
import { type LogRange, LogRanges } from "./node/log-ranges.ts";
import { NodeCalls } from "./node/node-calls.ts";
import { httpStatus, isRefusal, isUnreachable, NodeBusy, revertOf } from "./node/refusals.ts";

export type ConnectOptions = {
  /** When the network became known here, in seconds. */
  createdAt: number;
  /** Names a chain that is not a known one. */
  chainSelector?: string | undefined;
  log?: Log;
};

const TESTNETS = KNOWN_CHAINS.filter((chain) => chain.type === "testnet")
  .map((chain) => chain.chainId)
  .join(", ");

/** One EVM chain over JSON-RPC, with just the calls the service makes. */
export class Chain {
  readonly network: Network;
  readonly rpcUrl: string;
  /** Whether blocks come when we ask for them, or by themselves. */
  readonly minesOnRequest: boolean;
  /** Whether its coins are play money: the node makes blocks on request, or signs for rich accounts of its own. */
  readonly isDevelopment: boolean;
  readonly #calls: NodeCalls;
  readonly #logs = new LogRanges((range) => this.#logsAtOnce(range));

  private constructor(calls: NodeCalls, rpcUrl: string, network: Network, abilities: Abilities) {
    this.#calls = calls;
    this.rpcUrl = rpcUrl;
    this.network = network;
    this.minesOnRequest = abilities.minesOnRequest;
    this.isDevelopment = abilities.isDevelopment;
  }

  /**
   * Connects to a node and asks which chain it is.
   *
   * @throws ServiceProblem when it does not answer, is of a chain without a known selector, or of a mainnet.
   */
  static async connect(
    rpcUrl: string,
    { createdAt, chainSelector, log = silentLog() }: ConnectOptions,
  ): Promise<Chain> {
    if (!/^https?:$/.test(URL.parse(rpcUrl)?.protocol ?? "")) {
      throw new ServiceProblem(
        "--rpc-url or CREC_RPC_URL must be the http or https address of an EVM node, such as http://127.0.0.1:8545.",
      );
    }
    const calls = new NodeCalls(rpcUrl, {
      onTooOften: (says) =>
        log.warn(
          `The node at ${originOf(rpcUrl)} limits how often it is asked (${says}). Calls wait for it.`,
        ),
    });
    let chainId: string;
    let version: string;
    try {
      chainId = String(Number(await calls.call("eth_chainId", [])));
      // For its name alone: not every node tells it.
      version = String(
        await calls.call("web3_clientVersion", []).catch((error: unknown) => refused(error) || "node"),
      );
    } catch (error) {
      if (isRefusal(error) || httpStatus(error) !== undefined || error instanceof NodeBusy) {
        throw new ServiceProblem(
          `The node at ${originOf(rpcUrl)} refuses to answer (${messageOf(error)}). Check the key in its address and its limits, or correct --rpc-url or CREC_RPC_URL.`,
        );
      }
      throw new ServiceProblem(
        `No EVM node answers at ${originOf(rpcUrl)} (${messageOf(error)}). Start it, or correct --rpc-url or CREC_RPC_URL.`,
      );
    }
    const known = KNOWN_CHAINS.find((chain) => chain.chainId === chainId) ?? ownChain(chainId, chainSelector);
    if (known === undefined) {
      throw new ServiceProblem(
        `The node at ${originOf(rpcUrl)} is of chain ${chainId}, for which no chain selector is known. Use a node of one of the chains ${TESTNETS}, or name a selector with --chain-selector or CREC_CHAIN_SELECTOR.`,
      );
    }
    // A fork of one counts too: what is signed there is valid on the chain it was forked from.
    if (known.type === "mainnet") {
      throw new ServiceProblem(
        `The node at ${originOf(rpcUrl)} is of ${known.name}, where everything costs real money. Use a node of one of the chains ${TESTNETS}; a fork needs one of these chain ids too.`,
      );
    }
    const abilities = await abilitiesOf(calls, chainId);
    const network: Network = {
      id: known.chainSelector,
      name: abilities.isDevelopment ? `Local ${nodeName(version)}` : known.name,
      chain_selector: known.chainSelector,
      chain_id: chainId,
      chain_family: "evm",
      type: known.type,
      created_at: createdAt,
      updated_at: createdAt,
    };
    return new Chain(calls, rpcUrl, network, abilities);
  }

  /** Any JSON-RPC method. What is not answered is asked a second time, unless `once`. */
  async rpc<T>(method: string, params: unknown[] = [], { once = false } = {}): Promise<T> {
    try {
      return (await this.#calls.call(method, params)) as T;
    } catch (error) {
      if (once || !isUnreachable(error) || error instanceof NodeBusy) throw error;
      return (await this.#calls.call(method, params)) as T;
    }
  }

  /** From now on nothing waits for a node that is asked too often. */
  giveUp(): void {
    this.#calls.giveUp();
  }

  /** Whether the chain has a transaction, in a block or waiting for one. */
  async hasTransaction(hash: Hex): Promise<boolean> {
    return (await this.rpc("eth_getTransactionByHash", [hash])) !== null;
  }

  async mine(blocks = 1): Promise<void> {
    for (let mined = 0; mined < blocks; mined += 1) await this.rpc("evm_mine");
  }

  async heads(): Promise<Heads> {
    const [latest, safe, finalized] = await Promise.all(
      (["latest", "safe", "finalized"] as const).map((tag) =>
        // Not every node knows the two weaker tags: there, nothing gets beyond `latest`.
        this.block(tag).catch((error: unknown) => {
          if (tag === "latest" || !isRefusal(error)) throw error;
          return undefined;
        }),
      ),
    );
    if (latest === undefined) throw new Error("The node has no newest block.");
    return { latest, safe: safe?.number ?? 0, finalized: finalized?.number ?? 0 };
  }

  /** A block by number or tag; undefined when the chain has none. */
  async block(at: number | Confidence): Promise<Block | undefined> {
    type Found = Record<"number" | "hash" | "parentHash" | "timestamp", Hex> & { transactions: Hex[] };
    const tag = tagOf(at);
    const found = await this.rpc<Found | null>("eth_getBlockByNumber", [tag, false]);
    if (found === null) return undefined;
    return {
      number: Number(found.number),
      hash: found.hash,
      parentHash: found.parentHash,
      timestamp: Number(found.timestamp),
      transactions: found.transactions.length,
    };
  }

  /** Logs of a range of blocks, both ends included, in the order of the chain; in parts where the node limits it. */
  async logs(range: LogRange): Promise<RawLog[]> {
    return await this.#logs.all(range);
  }

  /** As `logs`, from the first block on as far as is good to be had in one go; `to` is the last block of them. */
  async someLogs(range: LogRange): Promise<{ logs: RawLog[]; to: number }> {
    return await this.#logs.some(range);
  }

  /** How many blocks of logs are likely to be had in one go. */
  get logRange(): number {
    return this.#logs.size;
  }

  async #logsAtOnce({ from, to, addresses, topics }: LogRange): Promise<RawLog[]> {
    type Found = Record<
      "address" | "data" | "blockNumber" | "blockHash" | "logIndex" | "transactionHash",
      Hex
    > & {
      topics: Hex[];
    };
    const filter = {
      fromBlock: hexNumber(from),
      toBlock: hexNumber(to),
      address: addresses,
      ...(topics === undefined ? {} : { topics }),
    };
    // What is too much the first time is too much the second time.
    const found = await this.rpc<Found[]>("eth_getLogs", [filter], { once: true });
    return found.map((log) => ({
      ...log,
      blockNumber: Number(log.blockNumber),
      logIndex: Number(log.logIndex),
    }));
  }

  /** Of a transaction that is in a block; undefined while it is in none that the node knows. */
  async receipt(hash: Hex): Promise<Receipt | undefined> {
    type Found = Record<"status" | "blockNumber", Hex> & { logs: Receipt["logs"] };
    const found = await this.rpc<Found | null>("eth_getTransactionReceipt", [hash]).catch(
      (error: unknown) => {
        // What geth says for a moment after its start of each transaction that it has not found.
        if (isRefusal(error) && /indexing is in progress/i.test(messageOf(error))) return null;
        throw error;
      },
    );
    if (found === null) return undefined;
    return {
      hash,
      succeeded: Number(found.status) === 1,
      blockNumber: Number(found.blockNumber),
      logs: found.logs.map(({ address, topics }) => ({ address, topics })),
    };
  }

  async code(address: string, at: number | Confidence = "latest"): Promise<Hex> {
    return await this.rpc<Hex>("eth_getCode", [address, tagOf(at)]);
  }

  async balance(address: string): Promise<bigint> {
    return BigInt(await this.rpc<Hex>("eth_getBalance", [address, "latest"]));
  }

  /**
   * `eth_call`. A revert is an answer; anything else that goes wrong is thrown.
   */
  async call(
    transaction: { from?: string; to: string; data: Hex; value?: bigint },
    at: number | Confidence = "latest",
  ): Promise<CallResult> {
    const { value, ...rest } = transaction;
    try {
      const data = await this.rpc<Hex>("eth_call", [
        value === undefined ? rest : { ...rest, value: `0x${value.toString(16)}` },
        tagOf(at),
      ]);
      return { data };
    } catch (error) {
      const revert = revertOf(error);
      if (revert !== undefined) return revert;
      throw error;
    }
  }
}

export function hexNumber(number: number): Hex {
  return `0x${number.toString(16)}`;
}

function tagOf(at: number | Confidence): string {
  return typeof at === "number" ? hexNumber(at) : at;
}
