import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { keccak256, parseTransaction } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Address, Hex } from "../../../src/protocol/index.ts";
import { messageOf, ServiceProblem } from "../errors.ts";
import { type Log, silentLog } from "../log.ts";
import { secretFile } from "../secrets.ts";
import type { SentTransaction } from "../store/rows.ts";
import { type Chain, hexNumber } from "./chain.ts";
import type { Receipt } from "./chain-data.ts";
import { Funds, gasPrices, inCoins } from "./funds.ts";
import { isOtherRefusal, isRefusal } from "./node/refusals.ts";

export type TransactionRequest = { to?: Address; data?: Hex; value?: bigint; gas?: bigint };

/** Sends transactions from the service's account. */
export type Sender = {
  readonly address: Address;
  send(
    request: TransactionRequest,
    beforeBroadcast?: (signed: SentTransaction) => void,
  ): Promise<SentTransaction>;
};

/** Enough for an operation of 16 transactions or the deployment of a large contract. */
const DEFAULT_GAS = 8_000_000n;
/** Of an estimate: a call may need more gas after others. */
const GAS_MARGIN_PERCENT = 150n;

/** Account 0 of every anvil. */
const ANVIL_KEY: Hex = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/**
 * The account that pays gas for everything the service sends: deployments, the faucet, operations.
 * Transactions are signed one after the other, so that nonces never collide.
 */
export class Relayer implements Sender {
  readonly address: Address;
  readonly funds: Funds;
  readonly #chain: Chain;
  readonly #account: ReturnType<typeof privateKeyToAccount>;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(chain: Chain, privateKey: Hex, log: Log = silentLog()) {
    this.#chain = chain;
    this.#account = privateKeyToAccount(privateKey);
    this.address = this.#account.address;
    this.funds = new Funds(chain, this.address, log);
  }

  /**
   * Signs with the next nonce and broadcasts. `beforeBroadcast` runs in between: what it stores is there even if the
   * process is killed right after the broadcast. An error in it stops the broadcast.
   *
   * @throws FundsProblem before that when the account cannot pay.
   */
  send(
    request: TransactionRequest,
    beforeBroadcast?: (signed: SentTransaction) => void,
  ): Promise<SentTransaction> {
    return this.#queued(() => this.#sendNow(request, beforeBroadcast));
  }

  /** While `work` runs, only its own sender can send. */
  exclusively<T>(work: (sender: Sender) => Promise<T>): Promise<T> {
    const sender: Sender = {
      address: this.address,
      send: (request, beforeBroadcast) => this.#sendNow(request, beforeBroadcast),
    };
    return this.#queued(() => work(sender));
  }

  async #sendNow(
    request: TransactionRequest,
    beforeBroadcast?: (signed: SentTransaction) => void,
  ): Promise<SentTransaction> {
    const signed = await this.#sign(request);
    beforeBroadcast?.(signed);
    try {
      await this.#chain.atNewHead(() => this.#broadcast(signed));
    } catch (error) {
      throw await this.#whyNot(signed, error);
    }
    return signed;
  }

  /**
   * Broadcasts a signed transaction again. True when the chain has it now; false when the chain does not accept it, for
   * example because another transaction has its nonce or an earlier nonce is missing.
   */
  broadcastAgain({ hash, raw }: SentTransaction): Promise<boolean> {
    return this.#queued(async () => {
      if (await this.#chain.hasTransaction(hash)) return true;
      // It could replace a transaction in the pool with the same nonce.
      const { nonce = 0 } = parseTransaction(raw);
      if (nonce !== (await this.#chain.atNewHead(() => this.#nextNonce()))) return false;
      try {
        await this.#chain.atNewHead(() => this.#broadcast({ hash, raw }));
        return true;
      } catch (error) {
        if (isOtherRefusal(error)) return false;
        throw error;
      }
    });
  }

  /**
   * Broadcasts a transaction once: the first answer may be lost, and a second call would be refused because the chain has
   * it. So an error counts only when the chain does not have the transaction.
   */
  async #broadcast({ hash, raw }: SentTransaction): Promise<void> {
    try {
      await this.#chain.rpc("eth_sendRawTransaction", [raw], { once: true });
    } catch (error) {
      const isThere = /already (known|imported)/i.test(messageOf(error));
      if (!isThere && !(await this.#chain.hasTransaction(hash))) throw error;
    }
  }

  /** A node also counts waiting transactions: coins that the account still holds may be spent. */
  async #whyNot({ raw }: SentTransaction, error: unknown): Promise<unknown> {
    if (!isRefusal(error) || !/insufficient funds/i.test(messageOf(error))) return error;
    const { gas = 0n, maxFeePerGas = 0n, value = 0n } = parseTransaction(raw);
    const held = await this.#chain.atNewHead(() => this.#chain.balance(this.address));
    return this.funds.problem(held, held + value + gas * maxFeePerGas);
  }

  /** One after the other: nothing else is sent between reading a nonce and using it. */
  #queued<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #nextNonce(): Promise<number> {
    return Number(await this.#chain.rpc<Hex>("eth_getTransactionCount", [this.address, "pending"]));
  }

  /** An estimate where gas costs real coins: then the account need not have coins for the maximum. */
  async #gasFor(request: TransactionRequest): Promise<bigint> {
    if (this.#chain.isDevelopment) return DEFAULT_GAS;
    const { gas, value, ...call } = request;
    const asked = value === undefined ? call : { ...call, value: `0x${value.toString(16)}` };
    try {
      const estimate = await this.#chain.rpc<Hex>("eth_estimateGas", [{ from: this.address, ...asked }]);
      return (BigInt(estimate) * GAS_MARGIN_PERCENT) / 100n;
    } catch (error) {
      // It would revert, for example: that shows on the chain.
      if (isOtherRefusal(error)) return DEFAULT_GAS;
      throw error;
    }
  }

  async #sign(request: TransactionRequest): Promise<SentTransaction> {
    const [nonce, { most, tip }, held, gas] = await this.#chain.atNewHead(() =>
      Promise.all([
        this.#nextNonce(),
        gasPrices(this.#chain),
        this.#chain.balance(this.address),
        request.gas ?? this.#gasFor(request),
      ]),
    );
    this.funds.refuseBeyond(held, request.value ?? 0n, gas * most);
    const raw = await this.#account.signTransaction({
      type: "eip1559",
      chainId: Number(this.#chain.network.chain_id),
      nonce,
      gas,
      maxFeePerGas: most,
      maxPriorityFeePerGas: tip,
      value: request.value ?? 0n,
      ...(request.to === undefined ? {} : { to: request.to }),
      ...(request.data === undefined ? {} : { data: request.data }),
    });
    return { raw, hash: keccak256(raw) };
  }
}

/** A transaction is in no block after some time: the chain makes none, or has dropped it in a reorganization. */
export class NotMined extends Error {
  override readonly name = "NotMined";
}

/**
 * Waits until a transaction is in a block.
 *
 * @throws NotMined when it is not after `timeoutMs`.
 */
export async function awaitReceipt(chain: Chain, hash: Hex, timeoutMs = 30_000): Promise<Receipt> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const receipt = await chain.receipt(hash);
    if (receipt !== undefined) return receipt;
    if (performance.now() > deadline)
      throw new NotMined(
        `The transaction ${hash} was not mined within ${timeoutMs / 1000} s, and still may be. Look for it before you ask again.`,
      );
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * Funds the relayer from an unlocked account of a development node. Returns whether it has coins afterwards.
 */
export async function fundRelayer(chain: Chain, address: Address): Promise<boolean> {
  if ((await chain.balance(address)) > 0n) return true;
  const [rich] = await chain.rpc<Address[]>("eth_accounts").catch(() => []);
  if (rich === undefined) return false;
  const value = hexNumber(100e18);
  const hash = await chain.rpc<Hex>("eth_sendTransaction", [{ from: rich, to: address, value }]);
  if (chain.minesOnRequest) await chain.mine();
  await awaitReceipt(chain, hash);
  return true;
}

/** On the service's own chain, anvil's first account pays. On another chain the service has its own account. */
export async function startRelayer(
  chain: Chain,
  dataDir: string,
  ownChain: boolean,
  givenKey: string | undefined,
  log: Log,
): Promise<Relayer> {
  if (ownChain) return new Relayer(chain, ANVIL_KEY, log);
  const key = givenKey === undefined ? relayerKey(dataDir) : privateKey(givenKey);
  const relayer = new Relayer(chain, key, log);
  if (!(await fundRelayer(chain, relayer.address))) {
    throw new ServiceProblem(
      `The service's account ${relayer.address} on chain ${chain.network.chain_id} holds ${inCoins(0n, chain.network.chain_id)}, and pays gas with it. Send it some, then start again.`,
    );
  }
  return relayer;
}

function privateKey(key: string): Hex {
  if (isPrivateKey(key)) return key;
  throw new ServiceProblem("CREC_RELAYER_KEY must be a private key: 0x and 64 hex digits.");
}

function relayerKey(dataDir: string): Hex {
  const file = join(dataDir, "relayer-key");
  const key = secretFile(file, () => `0x${randomBytes(32).toString("hex")}`);
  if (isPrivateKey(key)) return key;
  throw new ServiceProblem(
    `The key of the service's account in ${file} is damaged. Restore the file, or remove it to get a new account; the coins of the old account are then lost.`,
  );
}

function isPrivateKey(text: string): text is Hex {
  return /^0x[0-9a-fA-F]{64}$/.test(text);
}
