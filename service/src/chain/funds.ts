import { formatEther } from "viem";
import type { Address, Hex } from "../../../src/protocol/index.ts";
import type { Log } from "../log.ts";
import { messageOf, ServiceProblem } from "../problem.ts";
import type { Chain } from "./chain.ts";

/** How long what cannot be paid for waits for coins before it fails. */
export const REFILL_MS = 600_000;

const TIP_WEI = 1_000_000_000n;
/** Gas of an ordinary operation with room to spare: an account that cannot pay it is told of before one has to wait. */
const ORDINARY_GAS = 1_000_000n;
const CHECK_MS = 10_000;
/** What was refused and has not been tried again for so long does not wait any more. */
const WAITING_MS = 30_000;
/** Coins of the networks whose coin is not ETH, by chain id. */
const COINS: Readonly<Record<string, string>> = { "43113": "AVAX", "80002": "POL" };

/** The service's account cannot pay for a transaction. Nothing was sent. */
export class FundsProblem extends ServiceProblem {
  /** Smallest unit of what it takes, gas and all. */
  readonly wanted: bigint;

  constructor(account: { address: Address; chainId: string }, held: bigint, wanted: bigint) {
    const { address, chainId } = account;
    const missing = inCoins(wanted - held, chainId);
    super(
      `The service's account ${address} on chain ${chainId} holds ${inCoins(held, chainId)}, and what it has to pay for next takes up to ${inCoins(wanted, chainId)}. Send it ${missing} or more.`,
    );
    this.wanted = wanted;
  }
}

/** An amount as a person means it. */
export function inCoins(amount: bigint, chainId: string): string {
  return `${formatEther(amount)} ${COINS[chainId] ?? "ETH"}`;
}

/** Most that a unit of gas may cost, and what of it goes to who makes the block. */
export async function gasPrices(chain: Chain): Promise<{ most: bigint; tip: bigint }> {
  const price = BigInt(await chain.rpc<Hex>("eth_gasPrice"));
  const tip = price < TIP_WEI ? price : TIP_WEI;
  return { most: 2n * price + tip, tip };
}

/** Watches what the service's account holds, and says when it is too little and when it suffices again. */
export class Funds {
  readonly #chain: Chain;
  readonly #address: Address;
  readonly #log: Log;
  readonly #now: () => number;
  #held: bigint | undefined;
  #shortage: FundsProblem | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;
  /** When something was refused for want of coins: what still waits is tried at each tick. */
  #refusedAt = Number.NEGATIVE_INFINITY;

  /** `now` counts milliseconds. */
  constructor(chain: Chain, address: Address, log: Log, now = () => performance.now()) {
    this.#chain = chain;
    this.#address = address;
    this.#log = log;
    this.#now = now;
  }

  /** What the account held when it was looked at last, as a person means it. */
  get held(): string | undefined {
    return this.#held === undefined ? undefined : inCoins(this.#held, this.#chain.network.chain_id);
  }

  /** What is too little and what to do, as long as it is. */
  get shortage(): string | undefined {
    return this.#shortage?.message;
  }

  /** To be called often: looks now and then, and each time while coins are missing. */
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
      const wanted = isWaiting ? max(this.#shortage?.wanted ?? 0n, ordinary) : ordinary;
      if (held < wanted) this.#tell(this.problem(held, wanted));
      else this.#tellEnd();
    } catch (error) {
      // A node that does not answer is told of elsewhere.
      this.#log.debug(`The service's account could not be looked at: ${messageOf(error)}`);
    }
  }

  /** @throws FundsProblem when the account holds less than a transaction takes. */
  refuseBeyond(held: bigint, value: bigint, gas: bigint): void {
    if (held >= value + gas) return;
    const problem = this.problem(held, value + gas);
    // Coins to give away are no need of the service's own.
    if (value === 0n) {
      this.#refusedAt = this.#now();
      this.#tell(problem);
    }
    throw problem;
  }

  problem(held: bigint, wanted: bigint): FundsProblem {
    return new FundsProblem({ address: this.#address, chainId: this.#chain.network.chain_id }, held, wanted);
  }

  #tell(problem: FundsProblem): void {
    if (this.#shortage === undefined) this.#log.warn(problem.message);
    this.#shortage = problem;
  }

  #tellEnd(): void {
    if (this.#shortage === undefined) return;
    this.#shortage = undefined;
    this.#log.info(
      `The service's account ${this.#address} holds ${this.held}: what waited for coins goes on.`,
    );
  }
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** How long each thing has waited for coins. */
export class Refills {
  readonly #refillMs: number;
  readonly #since = new Map<string, number>();

  constructor(refillMs: number) {
    this.#refillMs = refillMs;
  }

  /** Why it fails now, undefined while it may go on waiting; anything but missing coins is thrown. */
  whyOver(id: string, error: unknown): string | undefined {
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
