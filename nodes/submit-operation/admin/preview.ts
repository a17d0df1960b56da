import type { NodeAPI } from "node-red";
import type { TransactionInput } from "../../../src/index.ts";
import { answerForms } from "../../common/admin/answer.ts";
import { deployFirst, isDeployedWith } from "../../common/admin/deployed.ts";
import type { NodeRedContext } from "../../common/context.ts";
import type { ConnectionNode, WalletNode } from "../../common/fields/config-nodes.ts";
import { loadLibrary } from "../../common/library.ts";
import { errorText } from "../../common/messages/error-texts.ts";
import { LOCAL_NETWORK, unusualRecipient } from "../../common/shared/chain.ts";
import { nodeError } from "../../common/shared/errors.ts";
import { ADDRESS } from "../../common/shared/field-checks.ts";
import { isReference } from "../../common/shared/variables.ts";
import type {
  Preview,
  PreviewedCall,
  PreviewedDigest,
  PreviewedValue,
  PreviewRequest,
  WalletText,
} from "../preview-types.ts";
import { isWhole, listedCalls, previewCalls } from "./preview-calls.ts";
import { previewRequest } from "./preview-request.ts";

/** A person is waiting for the answer. */
const PREVIEW_MS = 10_000;

/** A person is waiting for the preview, and it is complete without the answer. */
const ASK_MS = 2_000;
const DEFAULT_DEADLINE_MINUTES = "15";

/**
 * `POST /crec/operation/preview`: what an operation would do, in readable form, and the digest that would be signed.
 * Uses the texts in the form, so it works before the first deploy. Nothing is signed or sent.
 */
export function registerOperationPreview(context: NodeRedContext): void {
  answerForms(context.RED, "post", "/crec/operation/preview", "crec.read", ({ body }) =>
    preview(context, previewRequest(body)),
  );
}

async function preview(context: NodeRedContext, request: PreviewRequest): Promise<Preview> {
  const read =
    request.source === "message" ? await listedCalls(context, request) : await previewCalls(context, request);
  const calls = read && (await withImplementations(context.RED.nodes, request.wallet ?? {}, read));
  try {
    if (!calls) throw notYet([placeOf(request)]);
    const digest = await digestOf(context, request, transactionsOf(calls));
    return { calls: withUnusual(calls, digest.domain.verifyingContract), digest };
  } catch (thrown) {
    return { calls: withUnusual(calls ?? [], request.wallet?.wallet?.trim()), why: errorText(thrown) };
  }
}

/** @throws why there is nothing to sign yet */
function transactionsOf(calls: readonly PreviewedCall[]): TransactionInput[] {
  if (calls.length === 0) throw nodeError("NO_CALLS", "There are no calls yet. Add one.");
  const values = calls.map((call) => [call.to, ...(call.args ?? []), call.data, call.amount]);
  const wrong = calls.findIndex(
    ({ problem }, index) => problem || values[index]?.some((value) => value?.problem),
  );
  if (wrong !== -1) {
    throw nodeError("CALL_WRONG", `There is no digest: call ${wrong + 1} has an error. Fix it first.`);
  }
  const later = values.flat().filter((value): value is PreviewedValue => value?.later === true);
  if (later.length > 0 || !calls.every(isWhole)) throw notYet(later.map(({ text }) => text));
  return calls.map(transactionOf);
}

function transactionOf({ to, data, amount }: PreviewedCall) {
  return { to: to.text, data: data?.text ?? "0x", value: amount.smallest ?? amount.text };
}

/**
 * The calls, those of proxies with the contract whose code they run now. Only the local service tells that, so only its
 * network is asked.
 */
async function withImplementations(
  nodes: NodeAPI["nodes"],
  { id = "", connection: connectionId = "", chainSelector = "" }: WalletText,
  calls: PreviewedCall[],
): Promise<PreviewedCall[]> {
  const { wallet } = (nodes.getNode(id) ?? {}) as Partial<WalletNode>;
  const { connection } = (nodes.getNode(connectionId) ?? {}) as Partial<ConnectionNode>;
  const network = isReference(chainSelector) ? wallet?.chainSelector : chainSelector.trim();
  if (network !== LOCAL_NETWORK || !connection || connection.problem) return calls;
  const client = await connection.client().catch(() => undefined);
  if (!client) return calls;
  const signal = AbortSignal.timeout(ASK_MS);
  return Promise.all(
    calls.map(async (call) => {
      const { to, problem } = call;
      if (problem || to.later || to.problem) return call;
      const question = { path: "/local/implementation", query: { address: to.text } };
      const told = await client
        .request({ method: "GET", ...question, signal })
        .then(({ data }) => (data as { implementation?: unknown }).implementation)
        // Another service may have this network, and need not know the question.
        .catch(() => undefined);
      return typeof told === "string" ? { ...call, implementation: told } : call;
    }),
  );
}

/** With what is unusual about their recipients, where they are known. */
function withUnusual(calls: readonly PreviewedCall[], wallet: string | undefined): PreviewedCall[] {
  return calls.map((call) => {
    const unusual = isWhole(call) ? unusualRecipient(transactionOf(call), wallet) : undefined;
    return unusual ? { ...call, unusual } : call;
  });
}

async function digestOf(
  context: NodeRedContext,
  request: PreviewRequest,
  transactions: TransactionInput[],
): Promise<PreviewedDigest> {
  const { operationDigest, operationTypedData, randomWalletOperationId } = await loadLibrary();
  const deadline = deadlineOf(String(request.deadline ?? ""));
  const { account, chainId } = await walletOf(context, request.wallet);
  const operation = { id: randomWalletOperationId(), account, deadline, transactions };
  const { domain, message } = operationTypedData(operation, chainId);
  const digest = operationDigest(operation, chainId);
  return { digest, domain, id: message.id, deadline: message.deadline };
}

/** Unix seconds; 0 for none. */
function deadlineOf(typed: string): number {
  const text = typed.trim() || DEFAULT_DEADLINE_MINUTES;
  if (isReference(text)) throw notYet([text]);
  const minutes = Number(text);
  if (!(minutes >= 0 && Number.isFinite(minutes))) {
    throw nodeError("INVALID_FIELD", `The deadline must be a number of minutes, 0 for none, not "${text}".`);
  }
  return minutes === 0 ? 0 : Math.floor(Date.now() / 1000 + minutes * 60);
}

/** @throws WALLET_MISSING, DEPLOY_FIRST, and why the wallet's address or the chain id is not known */
async function walletOf(
  context: NodeRedContext,
  text: WalletText | undefined,
): Promise<{ account: string; chainId: string }> {
  const named = String(text?.wallet ?? "").trim();
  const selector = String(text?.chainSelector ?? "").trim();
  if (!text || named === "" || selector === "") {
    throw nodeError(
      "WALLET_MISSING",
      "The digest contains the wallet and its network. Choose a wallet that has both.",
    );
  }
  const deployed = (context.RED.nodes.getNode(String(text.id ?? "")) as Partial<WalletNode> | null)?.wallet;
  const isStored = (field: "wallet" | "chainSelector", typed: string) =>
    deployed !== undefined && isDeployedWith(context.RED.nodes, String(text.id), field, typed);
  const chainSelector = !isReference(selector)
    ? selector
    : deployed && isStored("chainSelector", selector)
      ? deployed.chainSelector
      : deployFirst(selector);
  const chainId = await chainIdOf(context.RED.nodes, String(text.connection ?? ""), chainSelector);
  if (ADDRESS.test(named)) return { account: named, chainId };
  if (!deployed || !isStored("wallet", named)) {
    if (isReference(named)) deployFirst(named);
    throw nodeError(
      "DEPLOY_FIRST",
      `The digest contains the wallet's address, and only its name "${named}" is known here. Deploy, then try again, or enter the address instead.`,
    );
  }
  if (deployed.problem) throw deployed.problem;
  return { account: await deployed.address(AbortSignal.timeout(PREVIEW_MS)), chainId };
}

/** From the service where its connection is deployed; well-known networks are in the library. */
async function chainIdOf(
  nodes: NodeAPI["nodes"],
  connectionId: string,
  chainSelector: string,
): Promise<string> {
  const connection = (nodes.getNode(connectionId) as Partial<ConnectionNode> | null)?.connection;
  if (connection && !connection.problem) {
    const client = await connection.client();
    // With a time of its own it is not joined by a flow, for which it could come too late.
    return client.networks.chainIdOf(chainSelector, { timeoutMs: PREVIEW_MS });
  }
  const { KNOWN_CHAINS } = await loadLibrary();
  const known = KNOWN_CHAINS.find((chain) => chain.chainSelector === chainSelector);
  if (known) return known.chainId;
  throw nodeError(
    "DEPLOY_FIRST",
    `The digest contains the chain id of network ${chainSelector}, which only the service knows. Deploy the wallet's connection, then try again.`,
  );
}

function placeOf({ transactions, transactionsType }: PreviewRequest): string {
  return transactionsType === "jsonata" ? `${transactions}` : `${transactionsType || "msg"}.${transactions}`;
}

function notYet(places: readonly string[]): Error {
  const list = [...new Set(places)].join(", ");
  return nodeError(
    "KNOWN_LATER",
    `There is no digest yet: these values are known only when a message arrives: ${list}.`,
  );
}
