import { randomUUID } from "node:crypto";
import should from "should";
import { encodeFunctionData, keccak256 } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { artifact } from "../../../service/src/chain/demo/contracts.ts";
import type { RunningService } from "../../../service/src/index.ts";
import { Api } from "../../../service/test/support.ts";
import { rpc } from "../../../service/test/transactions.ts";
import {
  type AlertEvidence,
  type AlertOutcome,
  AlertRule,
  blockEvidenceOf,
  logPlaceOf,
  MemoryAlertStore,
} from "../../../src/alerts/index.ts";
import {
  type ChannelEvent,
  decodeEvent,
  dedupeKey,
  eventKeyOf,
  isEvent,
  verifyEvent,
  type Watcher,
} from "../../../src/index.ts";
import { eventually } from "../../support/eventually.ts";
import { startTestService } from "../../support/service.ts";

/** Blocks are made only when they are asked for. */
const BY_HAND = 3_600_000;
/** A development account of the chain, which anvil gives coins. */
const SENDER = privateKeyToAccount("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d");
/** Blocks after which a block is final on the local chain, and some more. */
const TO_FINAL = 16;
const CONFIRM_MS = 3_600_000;

describe("alerts on the local chain, whose blocks are replaced", function () {
  this.timeout(120_000);
  let service: RunningService;
  let api: Api;
  let channelId: string;
  let rule: AlertRule;
  /** Of the last event that was given to the rule. */
  let offset = 0;
  let told: AlertOutcome[];
  let gas = 200_000n;
  const blocks: Array<AlertEvidence & { kind: "block" }> = [];

  before(async () => {
    service = await startTestService({ blockTimeMs: BY_HAND });
    api = new Api(service.ready);
    channelId = await api.channel();
    const watcher = await api.ok<Watcher>("POST", `/channels/${channelId}/watchers`, {
      name: "counted",
      chain_selector: api.ready.chain_selector,
      address: api.ready.contracts.Counter,
      events: ["Incremented"],
      abi: artifact("Counter").abi.filter((item) => item.type === "event"),
    });
    await mine(1);
    await api.until<Watcher>(`/channels/${channelId}/watchers/${watcher.watcher_id}`, "active");
    await mine(TO_FINAL);
  });
  after(() => service?.close());

  beforeEach(async () => {
    told = [];
    const settings = {
      when: { kind: "each" },
      quietMs: 0,
      recovers: false,
      slackMs: 0,
      confirmWithinMs: CONFIRM_MS,
      maxKeys: 10,
      maxMarks: 100,
    } as const;
    rule = new AlertRule({ id: "counted", settings, store: new MemoryAlertStore() });
  });
  afterEach(() => rule?.close());

  it("says nothing more of a log that becomes final", async () => {
    await send();
    await given("latest", 1);
    await mine(TO_FINAL);
    await given("finalized", 1);
    await settled();
    should(told.map(({ kind }) => kind)).deepEqual(["alert"]);
    const [raised] = told;
    // It is not watched any longer.
    should(rule.nextCheckAt ?? Infinity).be.above((raised?.alert.at ?? 0) + CONFIRM_MS + 60_000);
  });

  it("takes back an alert whose log is undone, once what reported it is final beyond its block", async () => {
    const raw = await send();
    await given("latest", 1);
    await reorganize(raw);
    await mine(1);
    await send();
    await given("latest", 1);
    await mine(TO_FINAL);
    await given("finalized", 1);
    await settled();
    const [undone, other, takenBack] = told;
    should([undone?.kind, other?.kind]).deepEqual(["alert", "alert"]);
    should(takenBack).have.properties({ kind: "takenBack", reason: "level_passed", stands: false });
    should(takenBack?.alert).deepEqual(undone?.alert);
    should(told).have.length(3);
  });

  it("says once that a log has moved, and that its alert stands", async () => {
    const raw = await send();
    await given("latest", 1);
    await reorganize(raw);
    await mine(1);
    await rpc(api, "eth_sendRawTransaction", [raw]);
    await mine(1);
    await given("latest", 1);
    await mine(TO_FINAL);
    await given("finalized", 1);
    await settled();
    const [raised, moved] = told;
    should(raised?.kind).equal("alert");
    should(moved).have.properties({ kind: "takenBack", reason: "other_block", stands: true });
    should(moved?.alert).deepEqual(raised?.alert);
    should(told).have.length(2);
  });

  it("takes nothing back because of a query at finalized, while the watcher is silent", async () => {
    const raw = await send();
    await given("latest", 1);
    await reorganize(raw);
    await mine(2 * TO_FINAL);
    await api.ok("POST", `/channels/${channelId}/queries`, {
      idempotency_key: randomUUID(),
      query_kind: "evm_call",
      chain_selector: api.ready.chain_selector,
      params: {
        contract_address: api.ready.contracts.DemoToken,
        call_data: encodeFunctionData({ abi: artifact("DemoToken").abi, functionName: "totalSupply" }),
        block_selection: { type: "finalized" },
      },
    });
    await given("query", 1);
    should(blocks).have.length(1);
    should(blocks[0]?.confidence).equal("finalized");
    should(Number(blocks[0]?.blockNumber)).be.above(Number(told[0]?.alert.log?.blockNumber));
    await settled();
    should(told.map(({ kind }) => kind)).deepEqual(["alert"]);
  });

  /** Has the counter emit, in the next block: the signed transaction. */
  async function send(): Promise<string> {
    const nonce = Number(await rpc<string>(api, "eth_getTransactionCount", [SENDER.address, "latest"]));
    // Another transaction each time, although a replaced one leaves its nonce to the next.
    gas += 1n;
    const raw = await SENDER.signTransaction({
      to: api.ready.contracts.Counter as `0x${string}`,
      data: encodeFunctionData({ abi: artifact("Counter").abi, functionName: "increment", args: [] }),
      chainId: Number(api.ready.chain_id),
      nonce,
      gas,
      gasPrice: 10_000_000_000n,
    });
    await rpc(api, "eth_sendRawTransaction", [raw]);
    await mine(1);
    return raw;
  }

  async function mine(blocks: number): Promise<void> {
    await api.ok("POST", "/local/mine", { blocks });
  }

  /** Replaces the blocks from that of a transaction on, without their transactions: the service may have made one more. */
  async function reorganize(raw: string): Promise<void> {
    const hash = keccak256(raw as `0x${string}`);
    const { blockNumber } = await rpc<{ blockNumber: string }>(api, "eth_getTransactionReceipt", [hash]);
    const latest = await rpc<string>(api, "eth_blockNumber", []);
    await api.ok("POST", "/local/reorg", { depth: Number(latest) - Number(blockNumber) + 1 });
  }

  /** Gives the rule the events of the channel, verified, until this many of a kind are among them. */
  async function given(kind: string, count: number): Promise<void> {
    let found = 0;
    await eventually(`${count} of ${kind}`, async () => {
      const events = (await api.events(channelId)) as ChannelEvent[];
      for (const event of events.filter(({ headers }) => headers.offset > offset)) {
        offset = event.headers.offset;
        if (kindOf(await give(event)) === kind) found += 1;
      }
      return found >= count ? true : undefined;
    });
    should(found).equal(count);
  }

  async function give(event: ChannelEvent): Promise<ChannelEvent | undefined> {
    const { valid_signers, min_required_signatures, workflow_owner } = api.ready;
    const verified = await verifyEvent(event, {
      workflowOwner: workflow_owner,
      validSigners: valid_signers,
      minRequiredSignatures: min_required_signatures,
    });
    if (!verified.verified) return undefined;
    const block = blockEvidenceOf(event);
    if (block !== undefined) {
      blocks.push(block);
      told.push(...(await rule.learn(block)));
    }
    if (!isEvent(event, "watcher.event")) return event;
    const decoded = decodeEvent(event, artifact("Counter").abi);
    const log = logPlaceOf(decoded);
    if (log === undefined) throw new Error("The event has no place.");
    const at = Number(decoded.blockTime) * 1_000;
    const id = eventKeyOf(dedupeKey(event));
    told.push(...(await rule.accept({ id, key: "", at, matches: true, log })).outcomes);
    return event;
  }

  function kindOf(event: ChannelEvent | undefined): string | undefined {
    if (event === undefined) return undefined;
    return isEvent(event, "watcher.event") ? decodeEvent(event).confidence : event.headers.type.split(".")[0];
  }

  /** All events were given, and nothing comes late. */
  async function settled(): Promise<void> {
    told.push(...(await rule.readUpTo(Date.now() + 1)));
  }
});
