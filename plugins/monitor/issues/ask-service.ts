import { contractExists } from "../../../nodes/common/admin/read-contract.ts";
import type { WalletNode } from "../../../nodes/common/fields/config-nodes.ts";
import { ADDRESS } from "../../../nodes/common/shared/field-checks.ts";
import { noteResources } from "../../../nodes/common/telemetry/resources.ts";
import type { CrecClient, Wallet, Watcher } from "../../../src/index.ts";
import { isUuid } from "../../../src/protocol/ids.ts";
import { ALSO_ARCHIVED } from "../list-resources.ts";
import { placeKey, watcherKey } from "./answer-cache.ts";
import { askWatchers } from "./ask-watchers.ts";
import type { CheckContext } from "./check-context.ts";
import { deployedContracts } from "./deployed.ts";

type Question = (signal: AbortSignal) => Promise<void>;

/** A person waits for it. */
const ALL_MS = 45_000;
const AT_ONCE = 4;
/** Flows with more are not asked about as a whole: each takes a request or two. */
const MOST_WATCHERS = 50;
const MOST_WALLETS = 50;
/** Each takes a query, which the oracles answer. */
const MOST_CONTRACTS = 20;
/** An address without a contract may get one. A contract stays. */
const ABSENT_FOR_MS = 300_000;
/** Several resources of one name: more than one page is not needed. */
const PAGE = 20;
/** Of a name that is a part of so many others nothing is known. */
const MOST_LISTED = 200;

/**
 * Asks the service what only it knows of what the flows name: watchers, wallets, whether there is code at an address, and
 * how the watchers of their channels read events.
 * What is not answered stays unknown. Never rejects.
 */
export async function askService(context: CheckContext): Promise<void> {
  const questions = [
    ...watcherQuestions(context).slice(0, MOST_WATCHERS),
    ...eventQuestions(context).slice(0, MOST_WATCHERS),
    ...walletQuestions(context).slice(0, MOST_WALLETS),
    ...contractQuestions(context).slice(0, MOST_CONTRACTS),
    // Last, since it takes the most requests.
    (signal: AbortSignal) => askWatchers(context, signal),
  ];
  const signal = AbortSignal.timeout(ALL_MS);
  const askNext = async (): Promise<void> => {
    for (let question = questions.shift(); question && !signal.aborted; question = questions.shift()) {
      await question(signal).catch((thrown: unknown) => unanswered(context, thrown));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askNext));
}

function unanswered(context: CheckContext, thrown: unknown): void {
  context.RED.log.debug(`[CRE Connect] The service did not answer a question of a check: ${String(thrown)}`);
}

function watcherQuestions(context: CheckContext): Question[] {
  const { flows, answers } = context;
  return flows.ofType("crec-events-in").flatMap((node) =>
    (context.namesOf(node, "watcher") ?? []).map(
      (watcher): Question =>
        async (signal) => {
          const [channel, connection] = [context.channelOf(node), context.connectionOf(node)];
          if (!channel || channel.problem || !connection) return;
          const [client, channelId] = [await connection.client(), await channel.resolve(signal)];
          const found = isUuid(watcher)
            ? await oneWatcher(client, { channelId, id: watcher, signal })
            : await watchersNamed(client, { channelId, name: watcher, signal });
          answers.watchers.set(watcherKey(channelId, watcher), found.length > 0);
          noteResources(found, { service: connection.baseUrl });
        },
    ),
  );
}

/** Of what a node waits for: a watcher may be newer than what the node knows. */
function eventQuestions(context: CheckContext): Question[] {
  const { flows, answers } = context;
  return flows.ofType("crec-events-in").flatMap((node) =>
    context.readersOf(node).flatMap(({ identity: { channelId }, watcherCheck }) => {
      const { names } = watcherCheck.unwatched ?? {};
      const wanted = names?.length === 0 ? [""] : (names ?? []);
      return wanted.map(
        (name): Question =>
          async (signal) => {
            const client = await context.connectionOf(node)?.client();
            if (!client) return;
            const filter = { limit: 1, ...(name ? { event_name: name } : {}) };
            const { data } = await client.watchers.list(channelId, filter, { signal });
            answers.events.set(watcherKey(channelId, name), data.length > 0);
          },
      );
    }),
  );
}

async function oneWatcher(
  client: CrecClient,
  { channelId, id, signal }: { channelId: string; id: string; signal: AbortSignal },
): Promise<Watcher[]> {
  try {
    return [await client.watchers.get(channelId, id, { signal })];
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code === "WATCHER_NOT_FOUND") return [];
    throw thrown;
  }
}

/** Also those that are archived, which a list has only when they are asked for. */
async function watchersNamed(
  client: CrecClient,
  { channelId, name, signal }: { channelId: string; name: string; signal: AbortSignal },
): Promise<Watcher[]> {
  const found: Watcher[] = [];
  for (const status of ALSO_ARCHIVED) {
    const filter = { name, limit: PAGE, ...status };
    // The service looks for names that contain it.
    let listed = 0;
    for await (const one of client.watchers.list(channelId, filter, { signal })) {
      listed += 1;
      if (listed > MOST_LISTED) throw new Error(`More than ${MOST_LISTED} watchers have such a name.`);
      if (one.name === name) found.push(one);
    }
  }
  return found;
}

function walletQuestions(context: CheckContext): Question[] {
  const { flows, answers } = context;
  return flows.ofType("crec-wallet").map(
    (node): Question =>
      async (signal) => {
        const wallet = context.running<WalletNode>(node.id)?.wallet;
        if (!wallet || wallet.problem) return;
        const { label } = wallet;
        const connection = wallet.connection();
        const client = await connection.client();
        const isIt = ({ name, address }: Wallet) =>
          ADDRESS.test(label) ? address.toLowerCase() === label.toLowerCase() : name === label;
        for (const status of ALSO_ARCHIVED) {
          const by = ADDRESS.test(label) ? { address: label } : { name: label };
          const filter = { ...by, limit: PAGE, ...status };
          let listed = 0;
          for await (const one of client.wallets.list(filter, { signal })) {
            listed += 1;
            if (listed > MOST_LISTED) break;
            if (!isIt(one)) continue;
            const { wallet_id: id, allowed_ecdsa_signers: signers = [] } = one;
            const keys = signers.map((signer) => signer.toLowerCase());
            answers.signers.set(id, keys);
            noteResources(one, { service: connection.baseUrl });
          }
        }
      },
  );
}

function contractQuestions(context: CheckContext): Question[] {
  const { answers, now } = context;
  return deployedContracts(context).flatMap(({ contract, connection, connectionId }): Question[] => {
    const { chainSelector, address } = contract;
    const key = placeKey(connection.baseUrl, chainSelector, address);
    const known = answers.contracts.get(key);
    if (known && (known.value || Math.abs(now - known.at) < ABSENT_FOR_MS)) return [];
    return [
      async () => {
        const isContract = await contractExists(context.RED.nodes, {
          connection: connectionId,
          chainSelector,
          address,
        });
        if (isContract !== undefined) answers.contracts.set(key, isContract);
      },
    ];
  });
}
