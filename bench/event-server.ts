/**
 * A process that serves stored events with real proofs, so that the one that is measured has its processor to
 * itself. Sends `ServedEvents` when it listens, and ends with its parent.
 */
import { OracleNetwork } from "../service/src/oracles/network.ts";
import { runOfWatcher } from "../service/src/oracles/workflows.ts";
import { generatePrivateKey, localEcdsaSigner, type VerifyConfig } from "../src/index.ts";
import type { Address, EventEnvelope, Hex, VerifiableEvent } from "../src/protocol/index.ts";
import { type EventServer, startEventServer } from "../test/consumer/event-server.ts";
import { sized } from "./sized.ts";

export type ServedEvents = { baseUrl: string; verification: VerifyConfig };

/** So many proofs are different; nothing remembers a proof, so more would only take longer to make. */
const DIFFERENT = sized(200, 20);
const WORKFLOW_OWNER = "0x00000000000000000000000000000000000000aa";
const WATCHER_ID = "5111df5c-0f30-42b1-a8f6-f8a6cca47791";
const CHAIN_SELECTOR = "7759470850252068959";

async function serve(count: number): Promise<{ server: EventServer; served: ServedEvents }> {
  const keys = Array.from({ length: 7 }, () => generatePrivateKey() as Hex);
  const oracles = keys.map((privateKey) => ({ privateKey, address: addressOf(privateKey) }));
  const network = new OracleNetwork(oracles, WORKFLOW_OWNER);
  const events = await Promise.all(
    Array.from({ length: DIFFERENT }, (_, index) => provenTransfer(network, index)),
  );
  const texts = Array.from({ length: count }, (_, index) => {
    const event = events[index % DIFFERENT];
    const offset = index + 1;
    return JSON.stringify({ ...event, event_id: idAt(offset), headers: { ...event?.headers, offset } });
  });
  const server = await startEventServer(texts);
  const verification = {
    workflowOwner: WORKFLOW_OWNER,
    validSigners: network.signers,
    minRequiredSignatures: network.minRequiredSignatures,
  };
  return { server, served: { baseUrl: server.baseUrl, verification } };
}

async function provenTransfer(network: OracleNetwork, index: number): Promise<EventEnvelope> {
  const time = 1_800_000_000 + index;
  const statement: VerifiableEvent = {
    name: "Transfer",
    timestamp: new Date(time * 1000).toISOString(),
    chain_family: "evm",
    chain_selector: CHAIN_SELECTOR,
    chain_event: {
      chain_id: "31337",
      block_number: 100 + index,
      block_timestamp: time,
      confidence: "latest",
      tx_hash: `0x${index.toString(16).padStart(64, "0")}`,
      address: "0x5b571A50AC6cB524730C8419EBe452703139809A",
      topic_hash: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
      log_index: 0,
      event_signature: "Transfer(address,address,uint256)",
      params: {
        from: "0x1437A9435dcAbc78178D567d69E6F6BDE86129f3",
        to: "0xfdbF8320766bdD350c71d2BfF260670Db2a47466",
        value: String(10n ** 18n * BigInt(index)),
      },
    },
  };
  const run = runOfWatcher({ watcher_id: WATCHER_ID }, String(index));
  const { text, hash, proof } = await network.attest(statement, run);
  return {
    event_id: idAt(index),
    headers: { type: "watcher.event", offset: index, proofs: [proof] },
    payload: {
      watcher_id: WATCHER_ID,
      chain_selector: CHAIN_SELECTOR,
      event_hash: hash,
      verifiable_event: text,
      timestamp: time,
    },
  };
}

function addressOf(privateKey: Hex): Address {
  return localEcdsaSigner(privateKey).address;
}

function idAt(offset: number): string {
  return `00000000-0000-4000-8000-${String(offset).padStart(12, "0")}`;
}

process.on("disconnect", () => process.exit());
const { served } = await serve(Number(process.argv[2]));
process.send?.(served);
