import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import should from "should";
import { getAddress } from "viem";
import {
  type Address,
  type BlockSelection,
  CrecClient,
  createVerifier,
  decodeEvent,
  encodeFunctionCall,
  eventFragments,
  generatePrivateKey,
  localEcdsaSigner,
  parseAbi,
} from "../../src/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import { describeWide } from "../../test/support/wide.ts";
import { findAnvil } from "../src/chain/anvil/launch.ts";
import { artifact } from "../src/chain/demo/contracts.ts";
import { type RunningService, startService } from "../src/index.ts";
import { BLOCK_TIME_MS, temporaryFolder } from "./support.ts";

const ABI = parseAbi(`
  function increment()
  function count() view returns (uint256)
  event Incremented(address indexed by, uint256 amount, uint256 count)
`);
const COUNT = encodeFunctionCall({ abi: ABI, function: "count" }).data;
const INCREMENT = encodeFunctionCall({ abi: ABI, function: "increment" }).data;
/** An account of anvil that is not the service's. */
const SOMEBODY = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

/** What people fork has contracts and a past, which only the original node knows. */
describeWide("the local service on a fork of a mainnet", function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  const nodes: ChildProcess[] = [];
  let originalUrl = "";
  let forkUrl = "";
  let service: RunningService;
  let client: CrecClient;
  let counter = "" as Address;
  /** A block of the original, after the first of three calls. */
  let early = 0;

  /** As people start it. */
  const startNode = async (...args: string[]): Promise<string> => {
    const node = spawn(findAnvil(), ["--port", "0", ...args], { stdio: ["ignore", "pipe", "inherit"] });
    nodes.push(node);
    for await (const line of createInterface({ input: node.stdout })) {
      const address = /Listening on (\S+)/.exec(line)?.[1];
      if (address === undefined) continue;
      // So that it never waits for a reader.
      node.stdout.resume();
      return `http://${address}`;
    }
    throw new Error("anvil ended.");
  };
  const rpc = async <T>(url: string, method: string, params: unknown[] = []): Promise<T> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json" };
    const answer = await (await fetch(url, { method: "POST", headers, body })).json();
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  };
  const send = async (transaction: object) => {
    const whole = { from: SOMEBODY, gas: "0x7a1200", ...transaction };
    const hash = await rpc(originalUrl, "eth_sendTransaction", [whole]);
    type Receipt = { contractAddress: Address; blockNumber: string } | null;
    const receipt = () => rpc<Receipt>(originalUrl, "eth_getTransactionReceipt", [hash]);
    return eventually("the receipt", async () => (await receipt()) ?? undefined);
  };
  const trusted = () => ({
    workflowOwner: service.ready.workflow_owner,
    validSigners: service.ready.valid_signers,
    minRequiredSignatures: service.ready.min_required_signatures,
  });
  const countAt = (url: string) =>
    rpc<string>(url, "eth_call", [{ to: counter, data: COUNT }, "latest"]).then(BigInt);

  before(async () => {
    originalUrl = await startNode("--chain-id", "1");
    counter = (await send({ data: artifact("Counter").bytecode })).contractAddress;
    early = Number((await send({ to: counter, data: INCREMENT })).blockNumber);
    await rpc(originalUrl, "anvil_mine", ["0x64"]);
    for (let more = 0; more < 2; more += 1) await send({ to: counter, data: INCREMENT });
    forkUrl = await startNode("--fork-url", originalUrl, "--chain-id", "31337");
    service = await startService({
      ...{ port: 0, dataDir: folder.path, blockTimeMs: BLOCK_TIME_MS, strict: true },
      rpcUrl: forkUrl,
    });
    const { base_url: baseUrl, api_key: apiKey } = service.ready;
    client = new CrecClient({ baseUrl, apiKey });
  });
  after(async () => {
    await client?.close();
    await service?.close();
    for (const node of nodes) {
      const ended = once(node, "exit");
      node.kill();
      await ended;
    }
    folder.dispose();
  });

  it("takes the fork, and never the original", async () => {
    const other = temporaryFolder();
    const refused = startService({ port: 0, dataDir: other.path, rpcUrl: originalUrl });
    await refused.should.be.rejectedWith(/costs real money\. .* a fork needs one of these chain ids too\./);
    other.dispose();
  });

  it("reads a contract of the original, also as it was before the fork", async () => {
    const { channel_id } = await client.channels.create({ name: "queries" });
    const { chain_selector } = service.ready;
    const count = async (block_selection?: BlockSelection) => {
      const question = { chain_selector, address: counter, abi: ABI, function: "count", block_selection };
      const { value } = await client.queries.call(channel_id, question, {
        verifier: createVerifier(trusted()),
      });
      return value;
    };
    should(await count()).equal("3");
    should(await count({ type: "block_number", block_number: String(early) })).equal("1");
  });

  it("executes an operation on it, and signs the event; the original stays as it is", async () => {
    const { chain_selector } = service.ready;
    const signer = localEcdsaSigner(generatePrivateKey());
    const { channel_id } = await client.channels.create({ name: "operations" });
    const [watcher, made] = await Promise.all([
      client.watchers.create(channel_id, {
        ...{ name: "counts", chain_selector, address: counter, events: ["Incremented"] },
        abi: eventFragments(ABI, ["Incremented"]),
      }),
      client.wallets.create({
        ...{ name: "wallet", chain_selector, wallet_type: "ecdsa" },
        ...{ wallet_owner_address: signer.address, allowed_ecdsa_signers: [signer.address] },
      }),
    ]);
    await client.watchers.waitFor(channel_id, watcher.watcher_id, { target: "active" });
    const wallet = await client.wallets.waitFor(made.wallet_id, { target: "deployed" });
    const { operation } = await client.operations.send(
      channel_id,
      {
        ...{ chain_selector, address: wallet.address },
        transactions: [{ to: counter, value: "0", data: INCREMENT }],
      },
      signer,
    );
    await client.operations.waitFor(channel_id, operation.operation_id, { target: "confirmed" });
    const verifier = createVerifier(trusted());
    const seen = [];
    for await (const event of client.events.search(channel_id, { type: ["watcher.event"] })) {
      should(await verifier.verify(event)).have.property("verified", true);
      seen.push(decodeEvent(event));
    }
    // Once for each confidence, and nothing of what happened before the fork.
    should(seen).have.length(2);
    for (const event of seen) {
      should(event).match({ name: "Incremented", params: { count: "4" }, contract: getAddress(counter) });
    }
    should(await countAt(forkUrl)).equal(4n);
    should(await countAt(originalUrl)).equal(3n);
  });
});
