import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReadyInfo } from "../../../service/src/index.ts";
import { CrecClient, eventFragments, parseAbi } from "../../../src/index.ts";
import type { EventEnvelope } from "../../../src/protocol/index.ts";
import { eventually } from "../../support/eventually.ts";
import { TRANSFER_ABI } from "../../support/nodes.ts";
import { startTestService } from "../../support/service.ts";

const COUNT = 4;
const TOKEN = parseAbi(TRANSFER_ABI);

/** A watcher of all transfers of the demo token. */
export async function watchTransfers(
  client: CrecClient,
  { chain_selector, contracts }: ReadyInfo,
): Promise<{ channelId: string; workflow: string }> {
  const { channel_id: channelId } = await client.channels.create({ name: `watched-${Math.random()}` });
  const { watcher_id } = await client.watchers.create(channelId, {
    ...{ name: "transfers", chain_selector, address: contracts.DemoToken ?? "" },
    ...{ events: ["Transfer"], abi: eventFragments(TOKEN, ["Transfer"]) },
  });
  const { workflow_id } = await client.watchers.waitFor(channelId, watcher_id, { target: "active" });
  return { channelId, workflow: String(workflow_id) };
}

/** Pays demo tokens, which is an event. */
export async function pay({ base_url, api_key }: ReadyInfo, amount: string): Promise<void> {
  const answer = await fetch(`${base_url}/local/faucet`, {
    method: "POST",
    headers: { authorization: `Apikey ${api_key}`, "content-type": "application/json" },
    body: JSON.stringify({ amount }),
  });
  if (!answer.ok) throw new Error(`No payment: ${await answer.text()}`);
}

/** True events of another channel, whose watcher is not accepted. */
export async function eventsOfOtherChannel(client: CrecClient, ready: ReadyInfo): Promise<EventEnvelope[]> {
  const { channelId } = await watchTransfers(client, ready);
  return paidEvents(client, ready, channelId);
}

/** True events that the same oracles signed for another organization. */
export async function eventsOfOtherOrganization(dataDir: string): Promise<EventEnvelope[]> {
  const folder = await mkdtemp(join(tmpdir(), "crec-other-org-"));
  await copyFile(join(dataDir, "oracle-keys.json"), join(folder, "oracle-keys.json"));
  const service = await startTestService({ dataDir: folder, orgId: "org_other", creTenantId: "7" });
  const { ready } = service;
  const client = new CrecClient({ baseUrl: ready.base_url, apiKey: ready.api_key });
  try {
    return await eventsOfOtherChannel(client, ready);
  } finally {
    await client.close();
    await service.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Of values that no true event has. */
async function paidEvents(client: CrecClient, ready: ReadyInfo, channelId: string): Promise<EventEnvelope[]> {
  for (let paid = 0; paid < COUNT; paid += 1) await pay(ready, String(7_000_000 + paid));
  const all = async () => {
    const events: EventEnvelope[] = [];
    for await (const event of client.events.search(channelId, { type: ["watcher.event"] }))
      events.push(event);
    return events;
  };
  return eventually("the events of others", all, ({ length }) => length >= 2 * COUNT);
}
