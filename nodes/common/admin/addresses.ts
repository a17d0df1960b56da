import type { CrecClient } from "../../../src/index.ts";
import type { Translate } from "../context.ts";
import type { ChannelNode, ConnectionNode, ContractNode, SignerNode } from "../fields/config-nodes.ts";
import type { FlowNodes } from "../fields/flow-settings.ts";
import { storedNodes } from "../fields/flow-settings.ts";
import { recentAddresses } from "../fields/recent-addresses.ts";
import type { Choice, Choices } from "../shared/form-types.ts";

/** Wallets of the service: more than these are found by their names in the wallet's form. */
const MOST_WALLETS = 100;

type Asked = { nodes: FlowNodes; t: Translate; id: string };

/**
 * The addresses that this Node-RED knows, each once: deployed contracts and signers, wallets of the service of a
 * connection or channel, and what the last events named. A service that does not answer only makes the list shorter.
 */
export async function knownAddresses({ nodes, t, id }: Asked, signal: AbortSignal): Promise<Choices> {
  const client = await clientOf(nodes, id).catch(() => undefined);
  const [networks, wallets] = await Promise.all([networkNames(client, signal), walletsOf(client, signal)]);
  const choice = (value: string, label: string, kind: string, chainSelector: string): Choice => {
    const network = networks.get(chainSelector) ?? chainSelector;
    const key = network === "" ? kind : `${kind}-on`;
    const detail = t(`common.address.${key}`, { network });
    return { value, label: label || value, detail, ...(chainSelector === "" ? {} : { chainSelector }) };
  };
  const all = [
    ...contractsOf(nodes).map(({ address, name, chainSelector }) =>
      choice(address, name, "contract", chainSelector),
    ),
    ...wallets.map(({ address, name, chain_selector }) => choice(address, name, "wallet", chain_selector)),
    ...(await signersOf(nodes)).map(({ address, name }) => choice(address, name, "signer", "")),
    ...recentAddresses().map(({ address, parameter, event, chainSelector }) =>
      choice(address, t("common.address.of", { parameter, event }), "recent", chainSelector),
    ),
  ];
  const known = new Map<string, Choice>();
  for (const one of all) {
    // The same address may hold contracts of several networks.
    const key = `${one.value.toLowerCase()} ${one.chainSelector ?? ""}`;
    if (!known.has(key)) known.set(key, one);
  }
  return { choices: [...known.values()] };
}

/** Of a connection, or of the connection of a channel. */
async function clientOf(nodes: FlowNodes, id: string): Promise<CrecClient | undefined> {
  const node = nodes.getNode(id) as Partial<ConnectionNode & ChannelNode> | null;
  return (node?.connection ?? node?.channel?.connection())?.client();
}

async function networkNames(
  client: CrecClient | undefined,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const networks = (await client?.networks.list({ signal }).catch(() => [])) ?? [];
  return new Map(networks.map(({ chain_selector, name }) => [chain_selector, name]));
}

type ListedWallet = { address: string; name: string; chain_selector: string };

async function walletsOf(client: CrecClient | undefined, signal: AbortSignal): Promise<ListedWallet[]> {
  const found: ListedWallet[] = [];
  try {
    for await (const wallet of client?.wallets.list({ status: ["deployed"], limit: 50 }, { signal }) ?? []) {
      if (wallet.address) found.push(wallet);
      if (found.length === MOST_WALLETS) break;
    }
  } catch {
    // The wallets that were read are offered.
  }
  return found;
}

function contractsOf(nodes: FlowNodes): Array<{ address: string; name: string; chainSelector: string }> {
  return storedNodes<ContractNode>(nodes, "crec-contract").flatMap(({ name = "", contract }) => {
    if (!contract || contract.problem) return [];
    return [{ address: contract.address, name, chainSelector: contract.chainSelector }];
  });
}

/** Public addresses only. */
async function signersOf(nodes: FlowNodes): Promise<Array<{ address: string; name: string }>> {
  const found: Array<{ address: string; name: string }> = [];
  for (const { name = "", signer } of storedNodes<SignerNode>(nodes, "crec-signer")) {
    const address = signer && !signer.problem ? await signer.knownAddress() : undefined;
    if (address) found.push({ address, name });
  }
  return found;
}
