import * as Hash from "ox/Hash";
import * as Hex from "ox/Hex";
import should from "should";
import type { RunningService, ServiceOptions } from "../../service/src/index.ts";
import {
  type EventEnvelope,
  generatePrivateKey,
  localEcdsaSigner,
  walletOperationIdOf,
} from "../../src/index.ts";
import { borrowNodeRed, type Owned, ownNodeRed } from "./borrowed-node-red.ts";
import { ask, harnessFlow, type Message, refuse, withoutTimes } from "./flow-harness.ts";
import {
  type FlowNode,
  freshId,
  type NodeRed,
  type NodeRedOptions,
  type NodeStatus,
  type UserDir,
} from "./node-red.ts";
import { channelNode, connectionNode, contractNode, manageNode } from "./nodes.ts";
import { COUNTER_ABI, REGISTRY_ABI, signerNode, TOKEN_ABI, walletNode } from "./operation-nodes.ts";
import { type Passing, ServiceProxy } from "./proxy.ts";
import { startTestService } from "./service.ts";

export const RECEIVER = "0x00000000000000000000000000000000DeaDBeef";
export const NOBODY = "0x1111111111111111111111111111111111111111";
export const SEPOLIA = "16015286601757825753";

const EXECUTED = Hash.keccak256(Hex.fromString("OperationExecuted(uint256)"));

/** The first account of the own chain: its service pays for gas with it. */
const PAYER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/** What comes with a message, and must go out again as it was. */
export const COMPANY = {
  topic: "mine",
  extra: { nested: [1, { two: "2" }] },
  crec: { keep: "me", status: "of before" },
};
/** The same for a message that is refused. */
export const KEPT = { kept: "as it was", crec: { keep: "me" } };

export const isRed = ({ fill }: NodeStatus): boolean => fill === "red";
export const isSubmit = ({ method, path }: Passing): boolean =>
  method === "POST" && path.endsWith("/operations");
export const isFine = ({ fill }: NodeStatus): boolean => fill === "green" || fill === "blue";

/** A real Node-RED with a wallet that has tokens, against the real service. */
export class OperationHarness {
  readonly key = generatePrivateKey();
  readonly owner = localEcdsaSigner(this.key).address;
  nodeRed: NodeRed;
  readonly userDir: UserDir;
  readonly service: RunningService;
  /** Between Node-RED and the service. */
  readonly proxy: ServiceProxy;
  /** The address of the wallet. */
  wallet = "";
  readonly #ends: Array<() => Promise<unknown>>;
  /** Undefined where Node-RED is borrowed. */
  #own: Owned | undefined;

  private constructor(
    parts: Pick<OperationHarness, "nodeRed" | "userDir" | "service" | "proxy">,
    ends: Array<() => Promise<unknown>>,
  ) {
    this.nodeRed = parts.nodeRed;
    this.userDir = parts.userDir;
    this.service = parts.service;
    this.proxy = parts.proxy;
    this.#ends = ends;
  }

  /** `env` is what flows find in their environment. */
  static async start(
    env?: Record<string, string>,
    options: NodeRedOptions = {},
    serviceOptions: Partial<ServiceOptions> = {},
  ): Promise<OperationHarness> {
    const ends: Array<() => Promise<unknown>> = [];
    try {
      const service = await startTestService(serviceOptions);
      ends.push(() => service.close());
      const proxy = await ServiceProxy.before(service.ready.base_url);
      ends.push(() => proxy.close());
      const own = env && (await ownNodeRed(env, options));
      const { nodeRed, userDir, giveBack } = own ?? (await borrowNodeRed());
      ends.push(giveBack);
      const harness = new OperationHarness({ nodeRed, userDir, service, proxy }, ends);
      harness.#own = own;
      await harness.#makeWallet();
      return harness;
    } catch (error) {
      for (const end of ends.reverse()) await end();
      throw error;
    }
  }

  async close(): Promise<void> {
    for (const end of this.#ends.reverse()) await end();
  }

  /** Its own Node-RED dies, and is started again with what it has on disk. */
  async restart(): Promise<void> {
    if (!this.#own) throw new Error("This Node-RED is borrowed: start the harness with an environment.");
    this.nodeRed = await this.#own.restart();
  }

  /** The configuration all flows here have. */
  config(): FlowNode[] {
    const { ready } = this.service;
    const contract = (id: string, name: string, abi: string, more: Partial<FlowNode> = {}) =>
      contractNode(ready, { id, address: ready.contracts[name], abi, ...more });
    return [
      connectionNode(ready, { baseUrl: this.proxy.baseUrl }),
      channelNode({ createMissing: true }),
      contract("token", "DemoToken", TOKEN_ABI),
      contract("counter", "Counter", COUNTER_ABI),
      contract("registry", "SensorRegistry", REGISTRY_ABI),
      contract("elsewhere", "Counter", COUNTER_ABI, { chainSelector: SEPOLIA }),
      contract("codeless", "DemoToken", TOKEN_ABI, { address: NOBODY }),
      signerNode(this.key),
      walletNode(ready),
    ];
  }

  /** `more` are configuration nodes of a single test. */
  deploy(
    nodes: ReadonlyArray<[FlowNode, number]>,
    more: readonly FlowNode[] = [],
    type?: Parameters<NodeRed["deploy"]>[1],
  ): Promise<void> {
    return this.nodeRed.deploy(harnessFlow([...this.config(), ...more], nodes), type);
  }

  /** A message's way in, and out of the first port. */
  ask(id: string, message: Message): Promise<Message> {
    return ask(this.nodeRed, id, message);
  }

  /** A message's way in, and to Catch. */
  refuse(id: string, message: Message): Promise<Message> {
    return refuse(this.nodeRed, id, message);
  }

  /** Sends what is refused, then what is good, through one and the same node; gives what Catch got. */
  async refusedThenFine(
    id: string,
    [code, says]: [string, (string | RegExp)?],
    bad: Message,
    good: Message,
  ): Promise<Message> {
    const caught = await this.refuse(id, { ...KEPT, ...bad });
    checkError(caught, id, code, says);
    await this.nodeRed.status(id, isRed);
    should(this.nodeRed.statuses(id).at(-1)).have.properties({ fill: "red", shape: "ring" });
    await this.ask(id, good);
    await this.nodeRed.status(id, isFine);
    return caught;
  }

  /** What left a port, called `<node>:<port>`, for the message of this probe so far. */
  seenAt(name: string, probe: unknown): Message[] {
    return this.nodeRed
      .shown(name)
      .map((shown) => shown.value as Message)
      .filter((msg) => msg.probe === probe);
  }

  /** The same, once it has told this status. */
  async toldAt(name: string, probe: unknown, status: string): Promise<Message[]> {
    await this.nodeRed.showing(name, (shown) => {
      const { probe: its, crec } = shown as Message;
      return its === probe && crec?.status === status;
    });
    return this.seenAt(name, probe);
  }

  /** The coins of the first call of each operation that was sent, from the given request on. */
  sentAmounts(from: number): string[] {
    return this.proxy.passed
      .slice(from)
      .filter(isSubmit)
      .map(({ body }) => JSON.parse(body).transactions[0].value as string);
  }

  /** Holds the next operation up on its way, until the promise is resolved. */
  holdNext(until: Promise<void>): void {
    this.proxy.harm = (passing) => {
      if (!isSubmit(passing)) return undefined;
      this.proxy.harm = () => undefined;
      return { kind: "hold", until };
    };
  }

  /** From now on, the service says nothing but this of each operation: that carries no proof. */
  lie(status: string): void {
    const change = (body: string) => {
      const page = JSON.parse(body) as { events: EventEnvelope[] };
      const lies = page.events.slice(0, 1).map((event) => ({
        ...event,
        event_id: freshId(),
        headers: { ...event.headers, proofs: [] },
        payload: { ...event.payload, status, status_reason: "no gas", verifiable_event: "", event_hash: "" },
      }));
      return JSON.stringify({ ...page, events: lies });
    };
    this.proxy.harm = ({ path }) =>
      path.endsWith("/events/search") ? { kind: "change", change } : undefined;
  }

  /** The id that the wallet gets for an operation key. */
  idOf(key: string): string {
    const { chain_selector: chainSelector } = this.service.ready;
    return walletOperationIdOf(key, { chainSelector, address: this.wallet });
  }

  /** How often the wallet has carried out the operation of a key, or any, as the chain says. */
  async executions(key?: string): Promise<number> {
    const id = key === undefined ? [] : [Hex.fromNumber(BigInt(this.idOf(key)), { size: 32 })];
    const filter = { fromBlock: "0x0", toBlock: "latest", address: this.wallet, topics: [EXECUTED, ...id] };
    return ((await this.rpc("eth_getLogs", filter)) as unknown[]).length;
  }

  /** Without it, the service's own account cannot pay for gas: what the service accepts then is not executed. */
  async relays(does: boolean): Promise<void> {
    await this.rpc("anvil_setBalance", PAYER, does ? "0x56bc75e2d63100000" : "0x9184e72a000");
  }

  /** Asks the chain. */
  async rpc(method: string, ...params: unknown[]): Promise<unknown> {
    const response = await fetch(this.service.ready.rpc_url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return ((await response.json()) as { result: unknown }).result;
  }

  checkRunsWell(): void {
    should(this.nodeRed.running).be.true();
    should(this.nodeRed.log).not.match(
      /uncaught|unhandled|INTERNAL_ERROR|MaxListeners|Close timed out|Error stopping/i,
    );
  }

  /** That no private key was logged, sent to the editor, or is in the flows, in any form. */
  async checkNeverShown(privateKeys: readonly string[]): Promise<void> {
    const flows = await (await this.nodeRed.fetch("flows")).text();
    const captured = [this.nodeRed.log, this.nodeRed.heard, flows].join("\n").toLowerCase();
    should(captured.length).be.above(2_000);
    for (const secret of privateKeys) {
      const digits = secret.replace(/^0x/, "").toLowerCase();
      const bytes = Buffer.from(digits, "hex");
      const base64 = bytes.toString("base64").toLowerCase();
      for (const form of [digits, base64, BigInt(`0x${digits}`).toString(), [...bytes].join(",")]) {
        should(captured.includes(form)).be.false();
      }
    }
  }

  async #makeWallet(): Promise<void> {
    await this.deploy([[manageNode("wallets.create-or-find", { wallet: "wallet" }), 1]]);
    this.wallet = String((await this.ask("manage", {})).crec?.walletAddress);
    await this.#faucet({ to: this.wallet, amount: "1000000000000000000000" });
    await this.#faucet({ to: this.wallet, amount: "1000", token: "native" });
  }

  async #faucet(body: { to: string; amount: string; token?: string }): Promise<void> {
    const { base_url, api_key } = this.service.ready;
    const answer = await fetch(`${base_url}/local/faucet`, {
      method: "POST",
      headers: { authorization: `Apikey ${api_key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    should(answer.status).equal(200);
  }
}

/** That an answer carries what came with the message, and in `msg.crec` only what is promised beside. */
export function checkCompany(
  { to, from, block, description, newName, ...msg }: Message,
  crec: readonly string[],
): void {
  should(msg.extra).deepEqual(COMPANY.extra);
  should(msg.odd).deepEqual([]);
  should(Object.keys(msg).sort()).deepEqual(["_msgid", "crec", "extra", "odd", "payload", "probe", "topic"]);
  should(Object.keys(withoutTimes(msg)).sort()).deepEqual(["keep", ...crec].sort());
  should(msg.crec).have.property("keep", "me");
}

/** That Catch got a code for the flow and a sentence for people, and the message as it was. */
export function checkError(msg: Message, id: string, code: string, says: string | RegExp = ""): void {
  const { error = { message: "", code: "", source: { id: "" } } } = msg;
  should(error.code).equal(code, error.message);
  should(error.source.id).equal(id);
  // Node-RED writes the error's class before the sentence.
  const sentence = error.message.replace(/^\w*Error: /, "");
  // What the service itself said may follow, as it said it.
  should(sentence).match(/^["\w].*[.)]( It (said|begins): .*)?$/s);
  should(sentence.length).be.below(420);
  should(sentence).not.match(/undefined|\[object|TypeError|NaN/);
  if (typeof says === "string") should(sentence).containEql(says);
  else should(sentence).match(says);
  should(msg).have.property("kept", "as it was");
  should(msg.crec).have.property("keep", "me");
}
