import { deferred } from "../deferred.ts";
import { ArgumentError, CrecError } from "../errors.ts";
import { type CallOptions, callOptions, HttpError, reasonOf, type Transport } from "../http/index.ts";
import { KNOWN_CHAINS, type Network, withoutNulls } from "../protocol/index.ts";
import { badResponse, checkSelector, isObject, listOf } from "./requests/checks.ts";

const DIGITS = /^\d{1,20}$/;

type Running = { list: Promise<Network[]>; signal: AbortSignal | undefined };

/** The blockchains that the service works on. */
export class Networks {
  readonly #transport: Transport;
  /** From the service. */
  readonly #chainIds = new Map<string, string>();
  /** From the user: these come first. */
  readonly #given: ReadonlyMap<string, string>;
  /** The look-up that is under way, which ends with the signal of who began it. */
  #running: Running | undefined;

  /** @throws {ArgumentError} with the path of the entry of `chainIds` that is not a pair of decimal digits. */
  constructor(transport: Transport, chainIds: Readonly<Record<string, string | number>> = {}) {
    this.#transport = transport;
    this.#given = givenPairs(chainIds);
  }

  /**
   * All networks that the service works on.
   * @example
   * for (const { name, chain_selector } of await client.networks.list()) show(name, chain_selector);
   */
  async list(options?: CallOptions): Promise<Network[]> {
    const answer: unknown = await this.#transport.get("/networks", {}, options);
    const list = isObject(answer) ? answer.data : (answer ?? undefined);
    const networks = listOf(list).map((network) => withoutNulls(network));
    if (!networks.every(isNetwork)) throw badResponse("with a network that has no chain selector");
    for (const { chain_selector, chain_id } of networks) {
      // Chain ids of other families have other forms.
      if (DIGITS.test(String(chain_id))) this.#chainIds.set(String(chain_selector), String(BigInt(chain_id)));
    }
    return networks;
  }

  /**
   * The EVM chain id of a network, as decimal digits: from the option `chainIds`, else from the service, which is read
   * once. Well-known networks work without an answer, too.
   * @throws {CrecError} `NETWORK_NOT_FOUND`; `NETWORK_MISMATCH` when the service contradicts a well-known pair:
   * the chain id decides where a signature is valid.
   * @example
   * await client.networks.chainIdOf("16015286601757825753"); // → "11155111"
   */
  async chainIdOf(chainSelector: string, options?: CallOptions): Promise<string> {
    checkSelector(chainSelector);
    const call = callOptions(options);
    const given = this.#given.get(chainSelector);
    if (given !== undefined) return given;
    const known = KNOWN_CHAINS.find((chain) => chain.chainSelector === chainSelector)?.chainId;
    if (!this.#chainIds.has(chainSelector)) {
      try {
        await this.#listTogether(call);
        // A network that the service does not list is not looked up again.
        if (known !== undefined && !this.#chainIds.has(chainSelector))
          this.#chainIds.set(chainSelector, known);
      } catch (error) {
        if (known === undefined || !(error instanceof HttpError && error.retryable)) throw error;
      }
    }
    const chainId = this.#chainIds.get(chainSelector) ?? known;
    if (chainId !== undefined) return checkedPair(chainSelector, chainId);
    const message = `The service has no network with the chain selector ${chainSelector}. Choose one of its networks.`;
    throw new CrecError("NETWORK_NOT_FOUND", message);
  }

  /** Who needs it at the same time shares a request. One with a time-out of its own makes its own. */
  async #listTogether(options: CallOptions): Promise<Network[]> {
    if (options.timeoutMs !== undefined) return this.list(options);
    for (;;) {
      const running = this.#running ?? this.#begin(options.signal);
      try {
        return await orStopped(running.list, options.signal);
      } catch (error) {
        // Who began it has stopped: another one of those who wait begins.
        if (!running.signal?.aborted || options.signal?.aborted) throw error;
      }
    }
  }

  #begin(signal: AbortSignal | undefined): Running {
    const end = (): void => {
      this.#running = undefined;
    };
    this.#running = { list: this.list({ signal }).finally(end), signal };
    return this.#running;
  }
}

/** The outcome of what others need too, or the reason of the signal as soon as it fires. */
async function orStopped<T>(shared: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return shared;
  const { promise, reject } = deferred<never>();
  const stop = () => reject(reasonOf(signal));
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return Promise.race([shared, promise]).finally(() => signal.removeEventListener("abort", stop));
}

/** @throws {ArgumentError} with the path of the entry that is not a pair of decimal digits. */
export function givenPairs(chainIds: Readonly<Record<string, string | number>>): Map<string, string> {
  return new Map(Object.entries(chainIds).map(givenPair));
}

function givenPair([selector, chainId]: [string, string | number]): [string, string] {
  if (Number(chainId) > Number.MAX_SAFE_INTEGER) {
    const message =
      "The chain id is beyond 2^53, the largest that can be signed for. Check that it is no chain selector.";
    throw new ArgumentError(`chainIds[${selector}]`, message);
  }
  if (DIGITS.test(selector) && DIGITS.test(String(chainId))) return [selector, String(BigInt(chainId))];
  const message = "chainIds must pair the digits of chain selectors with the digits of chain ids, as text.";
  throw new ArgumentError(`chainIds[${selector}]`, message);
}

function isNetwork(value: unknown): value is Network {
  return isObject(value) && DIGITS.test(String(value.chain_selector));
}

/** Checked both ways: an unknown selector must not get the chain id of a well-known network either. */
function checkedPair(selector: string, chainId: string): string {
  const known = KNOWN_CHAINS.find((chain) => chain.chainSelector === selector || chain.chainId === chainId);
  if (!known || (known.chainSelector === selector && known.chainId === chainId)) return chainId;
  const message = `The service reports the chain id ${chainId} for the network ${selector}, but ${known.name} is ${known.chainSelector} with ${known.chainId}. Nothing is signed for it: check the base URL of the connection.`;
  throw new CrecError("NETWORK_MISMATCH", message);
}
