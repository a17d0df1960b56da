import type { Node, NodeAPI } from "node-red";
import type { CrecClient, Network, Wallet, Watcher } from "../../../src/index.ts";
import { isUuid } from "../../../src/protocol/ids.ts";
import type { Translate } from "../context.ts";
import type { ChannelNode, ConnectionNode, ContractNode } from "../fields/config-nodes.ts";
import type { FlowNodes } from "../fields/flow-settings.ts";
import { statusWord } from "../messages/service-words.ts";
import { ADDRESS } from "../shared/field-checks.ts";
import type { Choice, Choices } from "../shared/form-types.ts";
import { knownAddresses } from "./addresses.ts";
import { answerForms, invalidRequest } from "./answer.ts";
import { sharedAnswers } from "./shared-answers.ts";
import { reportedLevels, watchedEvents } from "./watcher-lookups.ts";

/** `text` is what was typed so far: the service looks for names that hold it, where it can. */
type Asked = { nodes: FlowNodes; t: Translate; id: string; text: string };
type Lookup = (asked: Asked) => Promise<Choices>;

/** At most this many lines are answered: more is not a list a person reads. */
const MOST = 200;
/** A person waits for the list: better none than a late one. */
const LOOKUP_MS = 10_000;

const LOOKUPS: Readonly<Record<string, Lookup>> = {
  addresses: (asked) => knownAddresses(asked, inTime().signal),
  networks: async (asked) => {
    const client = await clientOf(asked);
    if (!client) return UNDEPLOYED;
    const networks = await client.networks.list(inTime());
    return { choices: networks.map((network) => networkChoice(asked.t, network)) };
  },
  // The network of a contract, which is what was typed: the form may know its selector only as a variable.
  "contract-network": async (asked) => {
    const client = await clientOf(asked);
    const contract = (asked.nodes.getNode(asked.text) as (Node & Partial<ContractNode>) | null)?.contract;
    if (!client || !contract || contract.problem) return UNDEPLOYED;
    const networks = await client.networks.list(inTime());
    const its = networks.filter(({ chain_selector }) => chain_selector === contract.chainSelector);
    return { choices: its.map((network) => networkChoice(asked.t, network)) };
  },
  channels: async (asked) => {
    const client = await clientOf(asked);
    if (!client) return UNDEPLOYED;
    return take(client.channels.list({ ...named(asked.text), limit: 50 }, inTime()), ({ name, status }) => ({
      value: name,
      label: name,
      detail: statusWord(asked.t, status),
    }));
  },
  wallets: (asked) => walletsOf(asked, nameOf),
  "wallet-ids": (asked) => walletsOf(asked, ({ wallet_id }) => wallet_id),
  watchers: (asked) => watchersOf(asked, ({ watcher_id, name }) => name || watcher_id),
  "watcher-ids": (asked) => watchersOf(asked, ({ watcher_id }) => watcher_id),
  // A watcher has a workflow once it runs. The proof of each of its events names it.
  "watcher-workflows": (asked) => watchersOf(asked, ({ workflow_id }) => workflow_id, ACCEPTABLE),
  operations: (asked) =>
    inChannel(asked, (client, channel) =>
      take(
        client.operations.list(channel, { limit: 100 }, inTime()),
        ({ operation_id, status, created_at }) => ({
          value: operation_id,
          label: operation_id,
          detail: detailOf(statusWord(asked.t, status), created_at),
        }),
      ),
    ),
  queries: (asked) =>
    inChannel(asked, (client, channel) =>
      take(client.queries.list(channel, { limit: 100 }, inTime()), ({ query_id, status, created_at }) => ({
        value: query_id,
        label: query_id,
        detail: detailOf(statusWord(asked.t, status), created_at),
      })),
    ),
  "watcher-events": (asked) =>
    inChannel(asked, (client, channelId) => watchedEvents({ client, channelId, ...inTime() })),
  levels: (asked) =>
    inChannel(asked, (client, channelId) => reportedLevels({ client, channelId, ...inTime() })),
};

/** What is not deployed has nothing to offer yet; the value can still be typed. */
const UNDEPLOYED: Choices = { choices: [], undeployed: true };

/** `GET /crec/lookup/:kind/:id?text=…`: what a form offers to pick from, `id` being the config node asked. */
export function registerLookups(RED: NodeAPI): void {
  const shared = sharedAnswers<Choices>(RED);
  answerForms(RED, "get", "/crec/lookup/:kind/:id", "crec.read", ({ params, query }) => {
    const { kind = "", id = "" } = params;
    const lookup = Object.hasOwn(LOOKUPS, kind) ? LOOKUPS[kind] : undefined;
    if (!lookup) return invalidRequest(`There is no list of ${kind}.`);
    const text = typeof query.text === "string" ? query.text.trim() : "";
    return shared(JSON.stringify([kind, id, text]), () => lookup({ nodes: RED.nodes, t: RED._, id, text }));
  });
}

/** Undefined where none is deployed. @throws what is wrong with its settings */
async function clientOf({ nodes, id }: Asked): Promise<CrecClient | undefined> {
  return (nodes.getNode(id) as (Node & Partial<ConnectionNode>) | null)?.connection?.client();
}

async function walletsOf(asked: Asked, valueIn: (wallet: Wallet) => string): Promise<Choices> {
  const client = await clientOf(asked);
  if (!client) return UNDEPLOYED;
  const { t, text } = asked;
  const filter = ADDRESS.test(text) ? { address: text } : named(text);
  return take(client.wallets.list({ ...filter, limit: 50 }, inTime()), (wallet) => ({
    value: valueIn(wallet),
    label: nameOf(wallet),
    detail: walletDetail(statusWord(t, wallet.status), wallet),
    walletType: wallet.wallet_type,
    ...noteOf(t, wallet.confidence_level),
  }));
}

/** One without a name is listed with its address, which is as good for the wallet's form. */
function nameOf({ name, address, wallet_id }: Wallet): string {
  return name.trim() || address || wallet_id;
}

/** Also those that are archived: what they signed remains. */
const ACCEPTABLE = { status: ["active", "archived"] } as const;

/** Watchers without a value are left out. */
function watchersOf(
  asked: Asked,
  valueIn: (watcher: Watcher) => string | undefined,
  filter: { status?: readonly ["active", "archived"] } = {},
): Promise<Choices> {
  const { t, text } = asked;
  return inChannel(asked, async (client, channel) => {
    const query = { ...filter, ...named(text), limit: 50 };
    const { choices, ...more } = await take(client.watchers.list(channel, query, inTime()), (watcher) => ({
      value: valueIn(watcher) ?? "",
      label: watcher.name || watcher.watcher_id,
      detail: statusWord(t, watcher.status),
      ...noteOf(t, watcher.confidence_level),
    }));
    return { choices: choices.filter(({ value }) => value !== ""), ...more };
  });
}

/** What a channel has, newest or oldest first as the service gives it. */
async function inChannel(
  { nodes, id }: Asked,
  list: (client: CrecClient, channelId: string) => Promise<Choices>,
): Promise<Choices> {
  const channel = (nodes.getNode(id) as (Node & Partial<ChannelNode>) | null)?.channel;
  if (!channel) return UNDEPLOYED;
  if (channel.problem) throw channel.problem;
  const client = await channel.connection().client();
  return list(client, await channel.resolve(inTime().signal));
}

function networkChoice(
  t: Translate,
  { chain_selector, name, type, default_confidence_level }: Network,
): Choice {
  return {
    value: chain_selector,
    label: name,
    ...(type ? { detail: type } : {}),
    ...noteOf(t, default_confidence_level),
  };
}

/** A level of confidence in words, where the service says one. */
function noteOf(t: Translate, level: unknown): Pick<Choice, "note"> {
  if (typeof level !== "string" || level === "") return {};
  return { note: t("common.hint.confidence", { level }) };
}

/** An id is not part of a name. */
function named(text: string): { name?: string } {
  return text === "" || isUuid(text) ? {} : { name: text };
}

function inTime(): { signal: AbortSignal } {
  return { signal: AbortSignal.timeout(LOOKUP_MS) };
}

/** As `deployed, 0x…`: the same name may stand for wallets of several networks. */
function walletDetail(status: string, { address }: Wallet): string {
  return address ? `${status}, ${address}` : status;
}

/** As `final, 2026-01-31 12:00`: an id alone means nothing to a person. */
function detailOf(status: string, createdAt: number): string {
  const time = new Date(createdAt * 1000);
  if (Number.isNaN(time.getTime())) return status;
  return `${status}, ${time.toISOString().slice(0, 16).replace("T", " ")}`;
}

async function take<T>(items: AsyncIterable<T>, choiceOf: (item: T) => Choice): Promise<Choices> {
  const choices: Choice[] = [];
  for await (const item of items) {
    if (choices.length === MOST) return { choices, cut: true };
    choices.push(choiceOf(item));
  }
  return { choices };
}
