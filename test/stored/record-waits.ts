/**
 * Records what each node that waits keeps in a file, with the nodes of this checkout, or of another one that is built.
 *
 *   node test/stored/record-waits.ts <name of the commit> [<checkout>]
 *
 * Writes `test/stored/<name>/waits.json`, and in `answers.json` what the service says later: see `record.ts`.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Custodian } from "../support/custodian.ts";
import { eventually } from "../support/eventually.ts";
import type { Message } from "../support/flow-harness.ts";
import { freshId } from "../support/node-red.ts";
import { connectionNode } from "../support/nodes.ts";
import { KEPT, OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import type { Passing } from "../support/proxy.ts";
import { withoutEnd } from "../support/without-end.ts";
import { filesOf } from "./dump.ts";
import { waitingConfig, waitingNodes } from "./waiting-flow.ts";

const [name = "", checkout = ""] = process.argv.slice(2);
const settings = join(import.meta.dirname, "checkout-settings.cjs");
const harness = await OperationHarness.start({ CREC_CHECKOUT: checkout }, { settings });
const custodian = await Custodian.start(harness.key);
const { ready } = harness.service;
const { url } = custodian;

await harness.deploy(waitingNodes(), waitingConfig(ready, { url, address: harness.owner }));
const kept = async () => {
  const files = Object.entries(await filesOf(join(harness.userDir.path, "crec-waits")));
  return files.filter(([path]) => !path.includes(".in-use"));
};
const press = async (id: string, message: Message): Promise<string> => {
  const probe = freshId();
  await harness.nodeRed.press(`press-${id}`, { ...KEPT, ...message, probe });
  return probe;
};
const good = { to: RECEIVER, payload: "1" };
const { crec = {} } = await harness.ask("submit", good);

const isWallet = ({ path }: Passing) => path.includes("/wallets/");
const isWatcher = ({ path }: Passing) => path.includes("/watchers");
const change = (passing: Passing): ((body: string) => string) | undefined => {
  if (passing.path.endsWith("/events/search"))
    return (body) => withoutEnd(body).replaceAll('"active"', '"pending"');
  if (passing.path.includes("/queries/")) return (body) => body.replaceAll('"completed"', '"processing"');
  if (isWatcher(passing)) return (body) => body.replaceAll('"active"', '"pending"');
  return isWallet(passing) ? (body) => body.replaceAll('"deployed"', '"deploying"') : undefined;
};
harness.proxy.harm = (passing) => {
  const changed = change(passing);
  return changed && { kind: "change", change: changed };
};
const accepted = await press("submit", { ...good, crec: { keep: "me", operationKey: "order 1" } });
await harness.toldAt("submit:1", accepted, "accepted");
await press("wait", { crec: { keep: "me", ...crec } });
await press("asked", { ...good, crec: { keep: "me", operationKey: "order 2" } });
await custodian.asked(1);
await press("query", { payload: harness.wallet });
await harness.nodeRed.shows(({ name }) => name === "query:1");
const isNew = checkout === "";
if (isNew) {
  const drafted = await press("draft", { ...good, crec: { keep: "me", operationKey: "order 3" } });
  await harness.toldAt("draft:1", drafted, "pending_signature");
}
const looked = [harness.proxy.next(2, isWallet), harness.proxy.next(1, isWatcher)];
await press("manage", {});
await press("watcher", {});
await Promise.all(looked);
await eventually("the waits that are written at once", async () => (await kept()).length >= 4);
// Some are written only now.
await harness.nodeRed.stop();
const waits = Object.fromEntries(await kept());
const write = (file: string, value: unknown) =>
  writeFile(join(import.meta.dirname, name, file), `${JSON.stringify(value, null, 1)}\n`);
await write("waits.json", waits);

const { credentials: _, baseUrl: __, ...connection } = connectionNode(ready);
const answers: Record<string, unknown> = {};
const { lists, single } = pathsOf(waits);
for (const path of lists) answers[path] = await get(path);
for (const path of single)
  answers[path] = await eventually(path, () => get(path), isOver, { withinMs: 20_000 });
await write("answers.json", { connection, contracts: ready.contracts, answers });
await custodian.close();
await harness.close();
process.exit(0);

/** What the nodes ask for when they go on. */
function pathsOf(files: Record<string, string>) {
  const lists = ["/networks", "/wallets?name=harness-wallet&limit=100&offset=0"];
  const single = Object.entries(files).flatMap(([file, text]) => {
    const { id, about } = JSON.parse(text);
    const [node] = file.split("/");
    const channel = `/channels/${about.channelId}`;
    if (node === "manage") return [`/wallets/${id}`];
    if (node === "watcher") return [`${channel}/watchers/${id}`];
    if (node === "query") return [`${channel}/queries/${id}`];
    const { operation } = about.draft ?? about;
    if (node === "draft") return [`/channels/${about.draft.channelId}/operations/${operation.operation_id}`];
    return operation ? [searchOf(channel, operation)] : [];
  });
  return { lists, single };
}

function searchOf(channel: string, operation: Record<string, string>): string {
  const { wallet_operation_id: id, chain_selector: chain, address } = operation;
  const of = `wallet_operation_id=${id}&chain_selector=${chain}&address=${address}`;
  return `${channel}/events/search?type=operation.status&${of}&limit=200&offset=0`;
}

type Said = { status?: string; events?: Array<{ payload?: { status?: string } }> };

async function get(path: string): Promise<Said> {
  const headers = { Authorization: `Apikey ${ready.api_key}` };
  return (await (await fetch(`${ready.base_url}${path}`, { headers })).json()) as Said;
}

/** Whether what is waited for has come about. */
function isOver({ status, events = [] }: Said): boolean {
  if (status !== undefined) return !["pending", "deploying", "processing"].includes(status);
  return events.some(({ payload }) => payload?.status?.startsWith("confirmed"));
}
