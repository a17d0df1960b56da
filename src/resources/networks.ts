import { CrecError } from "../errors.ts";
import { type CallOptions, HttpError, type Transport } from "../http/index.ts";
import { KNOWN_CHAINS, type Network, type Page } from "../protocol/index.ts";
import { checkSelector } from "./checks.ts";
import { notAList } from "./pages.ts";

export class Networks {
  readonly #transport: Transport;
  readonly #chainIds = new Map<string, string>();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All networks the service works on. */
  async list(options: CallOptions = {}): Promise<Network[]> {
    const answer = await this.#transport.get<Network[] | Page<Network>>("/networks", {}, options);
    const networks = Array.isArray(answer) ? answer : answer?.data;
    if (!Array.isArray(networks)) throw notAList();
    for (const { chain_selector, chain_id } of networks)
      this.#chainIds.set(String(chain_selector), String(chain_id));
    return networks;
  }

  /**
   * The EVM chain id of a network, as decimal digits. Asked once; well-known networks need no answer.
   * @throws {CrecError} `NETWORK_NOT_FOUND`.
   */
  async chainIdOf(chainSelector: string, options: CallOptions = {}): Promise<string> {
    checkSelector(chainSelector);
    const known = KNOWN_CHAINS.find((chain) => chain.chainSelector === chainSelector)?.chainId;
    if (!this.#chainIds.has(chainSelector)) {
      await this.list(options).catch((error: unknown) => {
        if (known === undefined || !(error instanceof HttpError && error.retryable)) throw error;
      });
    }
    const chainId = this.#chainIds.get(chainSelector) ?? known;
    if (chainId !== undefined) return chainId;
    const message = `The service has no network with the chain selector ${chainSelector}. Pick one of its networks.`;
    throw new CrecError("NETWORK_NOT_FOUND", message);
  }
}
