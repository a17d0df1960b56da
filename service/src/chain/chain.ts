import type { Confidence, Hex, Network } from "../../../src/protocol/index.ts";
import { KNOWN_CHAINS } from "../../../src/protocol/index.ts";
import { messageOf, originOf, ServiceProblem } from "../errors.ts";
import { type Log, silentLog } from "../log.ts";
import type { Block, CallResult, Heads, RawLog, Receipt } from "./chain-data.ts";
import { type Abilities, abilitiesOf, nodeName, ownChain, refused } from "./node/abilities.ts";
import { type LogRange, LogRanges } from "./node/log-ranges.ts";
import { NewHead } from "./node/new-head.ts";
import { NodeCalls } from "./node/node-calls.ts";
import { failureOf, httpStatus, isRefusal, isUnreachable, NodeBusy, NoNewestBlock } from "./node/refusals.ts";

type ConnectOptions = {
  /** When the service first used the network, in Unix seconds. */
  createdAt: number;
  /** The chain selector of an unknown chain. */
  chainSelector?: string | undefined;
  log?: Log;
};

const TESTNETS = KNOWN_CHAINS.filter((chain) => chain.type === "testnet")
  .map((chain) => chain.chainId)
  .join(", ");

/** One EVM chain over JSON-RPC, with the calls that the service needs. */
export class Chain {
  readonly network: Network;
  readonly rpcUrl: string;
  /** Whether the node makes blocks on request, or by itself. */
  readonly minesOnRequest: boolean;
  /** Whether its coins have no value: the node makes blocks on request, or signs for its own rich accounts. */
  readonly isDevelopment: boolean;
  readonly #calls: NodeCalls;
  readonly #newHead = new NewHead();
  readonly #logs = new LogRanges((range) => this.#logsAtOnce(range));
  #changed: Promise<unknown> = Promise.resolve();

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
        log.warn(`The node at ${originOf(rpcUrl)} limits the rate of calls (${says}). Calls wait.`),
    });
    let chainId: string;
    let version: string;
    try {
      chainId = String(Number(await calls.call("eth_chainId", [])));
      // Only for its name: not every node supports it.
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
        "NO_CHAIN",
      );
    }
    const known = KNOWN_CHAINS.find((chain) => chain.chainId === chainId) ?? ownChain(chainId, chainSelector);
    if (known === undefined) {
      throw new ServiceProblem(
        `The node at ${originOf(rpcUrl)} is of chain ${chainId}, for which no chain selector is known. Use a node of one of the chains ${TESTNETS}, or name a selector with --chain-selector or CREC_CHAIN_SELECTOR.`,
      );
    }
    // Also a fork of one: what is signed there is valid on the original chain.
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

  /** Calls any JSON-RPC method. Without an answer it is called a second time, unless `once`. */
  async rpc<T>(method: string, params: unknown[] = [], { once = false } = {}): Promise<T> {
    try {
      return (await this.#calls.call(method, params)) as T;
    } catch (error) {
      if (once || !isUnreachable(error) || error instanceof NodeBusy) throw error;
      return (await this.#calls.call(method, params)) as T;
    }
  }

  /**
   * What `ask` gives, which asks at the newest block. While the node does not have that, such as in a reorganization, it is
   * called again, for at most five seconds.
   */
  atNewHead<T>(ask: () => Promise<T>): Promise<T> {
    return this.#newHead.ask(ask);
  }

  /** Calls do not wait for a rate limit or a new head after this. */
  giveUp(): void {
    this.#calls.giveUp();
    this.#newHead.giveUp();
  }

  /** Whether the chain has a transaction, in a block or waiting for one. */
  async hasTransaction(hash: Hex): Promise<boolean> {
    return (await this.rpc("eth_getTransactionByHash", [hash])) !== null;
  }

  async mine(blocks = 1): Promise<void> {
    for (let mined = 0; mined < blocks; mined += 1) await this.alone(() => this.rpc("evm_mine"));
  }

  /** Replaces the newest blocks by as many without transactions. Only anvil can do it. */
  async reorganize(blocks: number): Promise<void> {
    await this.alone(() => this.rpc("anvil_reorg", [blocks, []], { once: true }));
  }

  /** The same for a block and all after it, also for one that is made meanwhile. */
  async reorganizeFrom(block: number): Promise<void> {
    await this.alone(async () => {
      const { latest } = await this.heads();
      await this.rpc("anvil_reorg", [latest.number - block + 1, []], { once: true });
    });
  }

  /**
   * The one lock of what changes the chain, and of what reads its whole state: anvil loses blocks where one is made while
   * others are replaced, and its state is torn where it is read meanwhile. Each waits for the one before.
   */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#changed.then(work);
    this.#changed = done.catch(() => undefined);
    return await done;
  }

  async heads(): Promise<Heads> {
    const [latest, safe, finalized] = await Promise.all(
      (["latest", "safe", "finalized"] as const).map((tag) =>
        // Not every node supports the other two tags: there, nothing gets beyond `latest`.
        this.block(tag).catch((error: unknown) => {
          if (tag === "latest" || !isRefusal(error)) throw error;
          return undefined;
        }),
      ),
    );
    if (latest === undefined) throw new NoNewestBlock();
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

  /** Logs of a range of blocks, both ends included, in the order of the chain, requested in parts where the node has a limit. */
  async logs(range: LogRange): Promise<RawLog[]> {
    return await this.#logs.all(range);
  }

  /** Like `logs`, but only as many blocks as fit one request. `to` is the last of them. */
  async someLogs(range: LogRange): Promise<{ logs: RawLog[]; to: number }> {
    return await this.#logs.some(range);
  }

  /** How many blocks of logs probably fit one request. */
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
    // A request that is too large stays too large.
    const found = await this.rpc<Found[]>("eth_getLogs", [filter], { once: true });
    return found.map((log) => ({
      ...log,
      blockNumber: Number(log.blockNumber),
      logIndex: Number(log.logIndex),
    }));
  }

  /** The receipt of a transaction; undefined while it is in no block. */
  async receipt(hash: Hex): Promise<Receipt | undefined> {
    type Found = Record<"status" | "blockNumber" | "gasUsed", Hex> & { logs: Receipt["logs"] };
    const found = await this.rpc<Found | null>("eth_getTransactionReceipt", [hash]).catch(
      (error: unknown) => {
        // Shortly after its start, geth says this of every transaction that it does not find.
        if (isRefusal(error) && /indexing is in progress/i.test(messageOf(error))) return null;
        throw error;
      },
    );
    if (found === null) return undefined;
    return {
      hash,
      succeeded: Number(found.status) === 1,
      gasUsed: BigInt(found.gasUsed),
      blockNumber: Number(found.blockNumber),
      logs: found.logs.map(({ address, topics, data }) => ({ address, topics, data })),
    };
  }

  async code(address: string, at: number | Confidence = "latest"): Promise<Hex> {
    return await this.rpc<Hex>("eth_getCode", [address, tagOf(at)]);
  }

  async balance(address: string, at: number | Confidence = "latest"): Promise<bigint> {
    return BigInt(await this.rpc<Hex>("eth_getBalance", [address, tagOf(at)]));
  }

  /**
   * `eth_call`. A revert and any other failure of the contract's code is an answer; other errors are thrown.
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
      const failure = failureOf(error);
      if (failure !== undefined) return failure;
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
