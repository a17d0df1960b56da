import * as AbiEvent from "ox/AbiEvent";
import type { RunningService } from "../../../service/src/index.ts";
import {
  CrecClient,
  encodeFunctionCall,
  eventFragments,
  generatePrivateKey,
  localEcdsaSigner,
  parseAbi,
} from "../../../src/index.ts";
import { startTestService } from "../../support/service.ts";

export const EVENTS_CHANNEL = "fleet-events";
/** Operations go elsewhere, so that the events channel holds only what is counted. */
export const ACTIONS_CHANNEL = "fleet-actions";
export const WALLET = "fleet-wallet";

const BLOCK_TIME_MS = 50;
/** Transactions handed to the chain in one call. */
const BATCH = 100;
const GAS = "0xea60";
const APPROVAL = "event Approval(address indexed owner, address indexed spender, uint256 value)";
const INCREMENTED = AbiEvent.from("event Incremented(address indexed by, uint256 amount, uint256 count)");
const SPENDER = "0x1111111111111111111111111111111111111111";

type Log = { data: `0x${string}`; topics: [`0x${string}`, ...Array<`0x${string}`>] };

/**
 * A real service on a real chain with a wallet, and a channel whose events are numbered from 1 on. A flow adds the
 * number of each event to the counter contract: its logs say how often that was done for each event.
 */
export class FleetChain {
  readonly service: RunningService;
  readonly walletKey: string;
  readonly channelId: string;
  readonly #client: CrecClient;
  readonly #wallet: string;
  #events = 0;

  private constructor(
    service: RunningService,
    client: CrecClient,
    parts: { walletKey: string; wallet: string; channelId: string },
  ) {
    this.service = service;
    this.walletKey = parts.walletKey;
    this.channelId = parts.channelId;
    this.#client = client;
    this.#wallet = parts.wallet;
  }

  static async start(): Promise<FleetChain> {
    const service = await startTestService({ blockTimeMs: BLOCK_TIME_MS, confidences: ["latest"] });
    const { base_url: baseUrl, api_key: apiKey, chain_selector, contracts } = service.ready;
    const client = new CrecClient({ baseUrl, apiKey });
    try {
      const walletKey = generatePrivateKey();
      const signer = localEcdsaSigner(walletKey);
      const { wallet_id } = await client.wallets.create({
        name: WALLET,
        chain_selector,
        wallet_type: "ecdsa",
        wallet_owner_address: signer.address,
        allowed_ecdsa_signers: [signer.address],
      });
      const wallet = (await client.wallets.waitFor(wallet_id, { target: "deployed" })).address;
      const { channel_id: channelId } = await client.channels.create({ name: EVENTS_CHANNEL });
      await client.channels.create({ name: ACTIONS_CHANNEL });
      const { watcher_id } = await client.watchers.create(channelId, {
        name: "approvals",
        chain_selector,
        address: contracts.DemoToken ?? "",
        events: ["Approval"],
        abi: eventFragments(parseAbi(APPROVAL), ["Approval"]),
      });
      await client.watchers.waitFor(channelId, watcher_id, { target: "active" });
      return new FleetChain(service, client, { walletKey, wallet, channelId });
    } catch (error) {
      await client.close();
      await service.close();
      throw error;
    }
  }

  /** Adds so many events to the chain, and so soon to the channel. Gives the number of the first one. */
  async addEvents(count: number): Promise<number> {
    const first = this.#events + 1;
    this.#events += count;
    const [account] = ((await this.#rpc([{ method: "eth_accounts" }])) as string[][]).map((all) => all[1]);
    const [nonce] = await this.#rpc([{ method: "eth_getTransactionCount", params: [account, "latest"] }]);
    for (let sent = 0; sent < count; sent += BATCH) {
      const calls = Array.from({ length: Math.min(BATCH, count - sent) }, (_, index) => {
        const args = [SPENDER, String(first + sent + index)];
        const { data } = encodeFunctionCall({
          abi: parseAbi("function approve(address spender, uint256 value)"),
          function: "approve",
          args,
        });
        const to = this.service.ready.contracts.DemoToken;
        // Calls of one batch run at the same time: each has its own nonce.
        const transaction = { from: account, nonce: hex(Number(nonce) + sent + index), to, data, gas: GAS };
        return { method: "eth_sendTransaction", params: [transaction] };
      });
      await this.#rpc(calls);
      await this.#rpc([{ method: "evm_mine" }]);
    }
    return first;
  }

  /** By the number of each event, how often its operation was executed. */
  async executions(): Promise<Map<number, number>> {
    const filter = {
      ...{ fromBlock: "0x0", toBlock: "latest", address: this.service.ready.contracts.Counter },
      topics: AbiEvent.encode(INCREMENTED, { by: this.#wallet as `0x${string}` }).topics,
    };
    const [logs] = (await this.#rpc([{ method: "eth_getLogs", params: [filter] }])) as Log[][];
    const counts = new Map<number, number>();
    for (const log of logs ?? []) {
      const number = Number(AbiEvent.decode(INCREMENTED, log).amount);
      counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    return counts;
  }

  async close(): Promise<void> {
    await this.#client.close();
    await this.service.close();
  }

  async #rpc(calls: ReadonlyArray<{ method: string; params?: unknown[] }>): Promise<unknown[]> {
    const response = await fetch(this.service.ready.rpc_url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(calls.map((call, id) => ({ jsonrpc: "2.0", id, params: [], ...call }))),
    });
    const answers = (await response.json()) as Array<{ result: unknown; error?: { message: string } }>;
    const refused = answers.find(({ error }) => error !== undefined);
    if (refused) throw new Error(`The chain refuses: ${refused.error?.message}`);
    return answers.map(({ result }) => result);
  }
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}
