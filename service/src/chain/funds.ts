import { formatEther } from "viem";
import type { Address, Hex } from "../../../src/protocol/index.ts";
import { messageOf, ServiceProblem } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Chain } from "./chain.ts";

/** How long a transaction that cannot be paid for waits for coins before it fails. */
export const REFILL_MS = 600_000;

const TIP_WEI = 1_000_000_000n;
/** More gas than an ordinary operation needs: a lower balance is reported before an operation has to wait. */
const ORDINARY_GAS = 1_000_000n;
const CHECK_MS = 10_000;
/** A refused transaction that is not retried for this time does not wait any more. */
const WAITING_MS = 30_000;
/** Coins of the networks whose coin is not ETH, by chain id. */
const COINS: Readonly<Record<string, string>> = { "43113": "AVAX", "80002": "POL" };

/** The service's account cannot pay for a transaction. Nothing was sent. */
export class FundsProblem extends ServiceProblem {
  /** What the account needs, with gas, in the smallest unit. */
  readonly needed: bigint;

  constructor(account: { address: Address; chainId: string }, held: bigint, needed: bigint) {
    const { address, chainId } = account;
    const missing = inCoins(needed - held, chainId);
    super(
      `The service's account ${address} on chain ${chainId} holds ${inCoins(held, chainId)}, and the next transaction needs up to ${inCoins(needed, chainId)}. Send it ${missing} or more.`,
    );
    this.needed = needed;
  }
}

/** An amount in coins, for people. */
export function inCoins(amount: bigint, chainId: string): string {
  return `${formatEther(amount)} ${COINS[chainId] ?? "ETH"}`;
}

/** The maximum price of a unit of gas, and the tip in it for the block's producer. */
export async function gasPrices(chain: Chain): Promise<{ most: bigint; tip: bigint }> {
  const price = BigInt(await chain.rpc<Hex>("eth_gasPrice"));
  const tip = price < TIP_WEI ? price : TIP_WEI;
  return { most: 2n * price + tip, tip };
}

/** Watches the balance of the service's account, and logs when it is too low and when it is sufficient again. */
export class Funds {
  readonly #chain: Chain;
  readonly #address: Address;
  readonly #log: Log;
  readonly #now: () => number;
  #held: bigint | undefined;
  #shortage: FundsProblem | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;
  /** When a transaction was last refused because of missing coins. Waiting ones are retried at each tick. */
  #refusedAt = Number.NEGATIVE_INFINITY;

  /** `now` returns milliseconds. */
  constructor(chain: Chain, address: Address, log: Log, now = () => performance.now()) {
    this.#chain = chain;
    this.#address = address;
    this.#log = log;
    this.#now = now;
  }

  /** The last known balance, for people. */
  get held(): string | undefined {
    return this.#held === undefined ? undefined : inCoins(this.#held, this.#chain.network.chain_id);
  }

  /** What is missing and what to do; undefined while the balance is sufficient. */
  get shortage(): string | undefined {
    return this.#shortage?.message;
  }

  /** Call it often: it checks from time to time, and each time while coins are missing. */
  async watch(): Promise<void> {
    if (this.#shortage === undefined && this.#now() - this.#checkedAt < CHECK_MS) return;
    try {
      const [held, { most }] = await Promise.all([
        this.#chain.balance(this.#address),
        gasPrices(this.#chain),
      ]);
      this.#held = held;
      this.#checkedAt = this.#now();
      const ordinary = ORDINARY_GAS * most;
      const isWaiting = this.#now() - this.#refusedAt < WAITING_MS;
      const needed = isWaiting ? max(this.#shortage?.needed ?? 0n, ordinary) : ordinary;
      if (held < needed) this.#logShortage(this.problem(held, needed));
      else this.#logEnd();
    } catch (error) {
      // The ticker logs that the node does not answer.
      this.#log.debug(`The balance of the service's account could not be read: ${messageOf(error)}`);
    }
  }

  /** @throws FundsProblem when the account holds less than a transaction takes. */
  refuseBeyond(held: bigint, value: bigint, gas: bigint): void {
    if (held >= value + gas) return;
    const problem = this.problem(held, value + gas);
    // A payment of the faucet is not needed by the service itself.
    if (value === 0n) {
      this.#refusedAt = this.#now();
      this.#logShortage(problem);
    }
    throw problem;
  }

  problem(held: bigint, needed: bigint): FundsProblem {
    return new FundsProblem({ address: this.#address, chainId: this.#chain.network.chain_id }, held, needed);
  }

  #logShortage(problem: FundsProblem): void {
    if (this.#shortage === undefined) this.#log.warn(problem.message);
    this.#shortage = problem;
  }

  #logEnd(): void {
    if (this.#shortage === undefined) return;
    this.#shortage = undefined;
    this.#log.info(
      `The service's account ${this.#address} holds ${this.held}: waiting transactions are sent.`,
    );
  }
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** How long each operation or deployment has waited for coins. */
export class CoinWaits {
  readonly #refillMs: number;
  readonly #since = new Map<string, number>();

  constructor(refillMs: number) {
    this.#refillMs = refillMs;
  }

  /** Why it fails now; undefined while it can keep waiting. Other errors than missing coins are thrown. */
  failureReason(id: string, error: unknown): string | undefined {
    if (!(error instanceof FundsProblem)) throw error;
    const since = this.#since.get(id) ?? performance.now();
    this.#since.set(id, since);
    if (performance.now() - since < this.#refillMs) return undefined;
    this.#since.delete(id);
    return `${error.message} It waited ${this.#refillMs / 1000} s for that.`;
  }

  done(id: string): void {
    this.#since.delete(id);
  }
}
