import should from "should";
import { encodeFunctionData, toEventSelector } from "viem";
import {
  type EventEnvelope,
  isTerminal,
  OPERATION_LIFECYCLE,
  type Operation,
  type OperationStatus,
  type VerifiableEvent,
  type Wallet,
  type Watcher,
} from "../../src/protocol/index.ts";
import {
  generatePrivateKey,
  localEcdsaSigner,
  operationDigest,
  operationTypedData,
} from "../../src/signing/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import { artifact } from "../src/chain/demo/contracts.ts";
import { type Api, signedText, spawnService, temporaryFolder } from "./support.ts";

/** How many operations, of how many calls each that emit one event, and how often the service is killed meanwhile. */
export type Burst = { operations: number; callsEach: number; kills: number };

/** Nothing is lost, whenever the service is killed while it works off a burst. */
export async function survivesKills({ operations, callsEach, kills }: Burst): Promise<void> {
  const folder = temporaryFolder();
  let running = await spawnService(folder.path);
  try {
    const { ready } = running;
    const signer = localEcdsaSigner(generatePrivateKey());
    const channelId = await running.api.channel("burst");
    const wallet = await deployedWallet(running.api, signer.address);
    const watcherId = await counterWatcher(running.api, channelId);
    const path = `/channels/${channelId}/operations`;
    const data = encodeFunctionData({ abi: artifact("Counter").abi, functionName: "increment" });
    const call = { to: ready.contracts.Counter ?? "", value: "0", data };
    const bodies = await Promise.all(
      Array.from({ length: operations }, async (_, index) => {
        const operation = {
          chain_selector: ready.chain_selector,
          address: wallet.address,
          wallet_operation_id: String(index + 1),
          deadline: 0,
          transactions: Array.from({ length: callsEach }, () => call),
        };
        const input = { ...operation, id: operation.wallet_operation_id, account: operation.address };
        const digest = operationDigest(input, ready.chain_id);
        const typedData = operationTypedData(input, ready.chain_id);
        return { ...operation, signature: await signer.sign({ digest, typedData }) };
      }),
    );

    // A caller that never gives up: whatever becomes of the service, it asks again until it has an answer.
    const waiting = [...bodies];
    const submitAll = async () => {
      // biome-ignore lint/plugin: the pause between two attempts, since the service may be down
      for (let body = waiting.shift(); body !== undefined; body = waiting.shift()) {
        const answer = await running.api.call("POST", path, body).catch(() => undefined);
        const isThere = answer?.status === 201 || answer?.body.code === "OPERATION_ALREADY_EXISTS";
        if (isThere) continue;
        waiting.push(body);
        // biome-ignore lint/plugin: as above
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const submitting = Promise.all([submitAll(), submitAll(), submitAll(), submitAll()]);
    // biome-ignore lint/plugin: kills at random moments
    for (let kill = 0; kill < kills; kill += 1) {
      // biome-ignore lint/plugin: as above
      await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 700));
      running.child.kill("SIGKILL");
      await running.exited;
      running = await spawnService(folder.path);
    }
    await submitting;

    const { api } = running;
    const events = await eventually(
      "the end of all operations",
      async () => {
        const { data } = await api.ok<{ data: Operation[] }>("GET", `${path}?limit=1&${UNDER_WAY}`);
        if (data.length > 0) return undefined;
        const all = await api.events(channelId);
        const finalized = all.filter((event) => confidenceOf(event) === "finalized");
        return finalized.length >= operations * callsEach ? all : undefined;
      },
      { withinMs: 240_000 },
    );
    checkOffsets(events);
    checkOperations(events, bodies);
    await checkExecutions(running.ready.rpc_url, wallet.address, operations);
    await checkLogs(running.ready, events, { watcherId, logs: operations * callsEach });
    running.child.kill("SIGTERM");
    await running.exited;
  } finally {
    running.child.kill("SIGKILL");
    await running.exited;
    folder.dispose();
  }
}

const UNDER_WAY = Object.keys(OPERATION_LIFECYCLE)
  .filter((status) => !isTerminal(OPERATION_LIFECYCLE, status))
  .map((status) => `status=${status}`)
  .join("&");

function checkOffsets(events: EventEnvelope[]): void {
  events.map((event) => event.headers.offset).should.eql(events.map((_, index) => index + 1));
  should(new Set(events.map((event) => event.event_id)).size).equal(events.length);
}

/** Each operation goes its way once, each status told once and none after the last. */
function checkOperations(events: EventEnvelope[], bodies: Array<{ wallet_operation_id: string }>): void {
  const told = new Map<string, OperationStatus[]>();
  const ids = new Map<string, Set<unknown>>();
  for (const { headers, payload } of events) {
    if (headers.type !== "operation.status") continue;
    const key = String(payload.wallet_operation_id);
    told.set(key, [...(told.get(key) ?? []), payload.status as OperationStatus]);
    ids.set(key, (ids.get(key) ?? new Set()).add(payload.operation_id));
  }
  should(told.size).equal(bodies.length);
  for (const [key, statuses] of told) {
    should(ids.get(key)?.size).equal(1);
    should(statuses[0]).equal("accepted");
    should(statuses.at(-1)).equal("confirmed");
    for (const [index, status] of statuses.entries()) {
      const next = statuses[index + 1];
      if (next !== undefined) OPERATION_LIFECYCLE[status].should.containEql(next);
    }
  }
}

async function checkExecutions(rpcUrl: string, wallet: string, operations: number): Promise<void> {
  const logs = await logsOf(rpcUrl, wallet, toEventSelector("OperationExecuted(uint256)"));
  should(logs.length).equal(operations);
  should(new Set(logs.map(({ topics }) => topics[1])).size).equal(operations);
}

/** Each log of the chain is told once at each confidence, and nothing else at `finalized`. */
async function checkLogs(
  ready: { rpc_url: string; contracts: Record<string, string> },
  events: EventEnvelope[],
  { watcherId, logs }: { watcherId: string; logs: number },
): Promise<void> {
  const onChain = await logsOf(
    ready.rpc_url,
    ready.contracts.Counter ?? "",
    toEventSelector("Incremented(address,uint256,uint256)"),
  );
  should(onChain.length).equal(logs);
  const keys = onChain.map(
    (log) => `${log.transactionHash} ${Number(log.logIndex)} ${Number(log.blockNumber)}`,
  );
  for (const confidence of ["latest", "finalized"]) {
    const told = events
      .filter((event) => confidenceOf(event) === confidence && event.payload.watcher_id === watcherId)
      .map((event) => signedText<VerifiableEvent>(event).chain_event)
      .map((log) => `${log?.tx_hash} ${log?.log_index} ${log?.block_number}`);
    should(new Set(told).size).equal(told.length);
    told.sort().should.eql([...keys].sort());
  }
}

function confidenceOf(event: EventEnvelope): string | undefined {
  if (event.headers.type !== "watcher.event") return undefined;
  return signedText<VerifiableEvent>(event).chain_event?.confidence;
}

type Log = { topics: string[]; transactionHash: string; logIndex: string; blockNumber: string };

async function logsOf(rpcUrl: string, address: string, topic: string): Promise<Log[]> {
  const filter = { fromBlock: "0x0", toBlock: "latest", address, topics: [topic] };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getLogs", params: [filter] });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(rpcUrl, { method: "POST", headers, body });
  return ((await answer.json()) as { result: Log[] }).result;
}

async function deployedWallet(api: Api, signer: string): Promise<Wallet> {
  const { wallet_id } = await api.ok<Wallet>("POST", "/wallets", {
    name: "burst",
    wallet_owner_address: signer,
    chain_selector: api.ready.chain_selector,
    wallet_type: "ecdsa",
    allowed_ecdsa_signers: [signer],
  });
  return await api.until<Wallet>(`/wallets/${wallet_id}`, "deployed");
}

async function counterWatcher(api: Api, channelId: string): Promise<string> {
  const { watcher_id } = await api.ok<Watcher>("POST", `/channels/${channelId}/watchers`, {
    name: "counted",
    chain_selector: api.ready.chain_selector,
    address: api.ready.contracts.Counter,
    events: ["Incremented"],
    abi: artifact("Counter").abi.filter((item) => item.type === "event"),
  });
  await api.until<Watcher>(`/channels/${channelId}/watchers/${watcher_id}`, "active");
  return watcher_id;
}
