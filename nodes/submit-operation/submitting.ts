import type { Node, NodeAPI } from "node-red";
import type { CrecClient, Operation, Submitted, TransactionInput } from "../../src/index.ts";
import { draftKey, noteDraft, openDrafts } from "../common/approvals/open-drafts.ts";
import { nodeRedContext } from "../common/context.ts";
import { type CallPreview, previewOf, previewOfOperation } from "../common/contracts/call-preview.ts";
import { contractRegistry } from "../common/contracts/contract-registry.ts";
import {
  type Connection,
  channelOf,
  type SignerRef,
  signerOf,
  type WalletRef,
  walletOf,
} from "../common/fields/config-nodes.ts";
import type { FieldReader } from "../common/fields/field-reader.ts";
import { fittingSigners, walletTypeAt } from "../common/fields/fitting-signer.ts";
import { answer, type Task } from "../common/fields/input.ts";
import { loadLibrary } from "../common/library.ts";
import { createdOf } from "../common/messages/created.ts";
import { errorText } from "../common/messages/error-texts.ts";
import { explainReuse } from "../common/messages/key-reused.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { withDetails } from "../common/messages/message.ts";
import { proofCheckOf } from "../common/messages/operation-proof.ts";
import { serviceStatus } from "../common/messages/service-words.ts";
import { unusualRecipient } from "../common/shared/chain.ts";
import { setNewest } from "../common/shared/collections.ts";
import { nodeError, toCodedError, translatedError } from "../common/shared/errors.ts";
import { durationWords } from "../common/shared/times.ts";
import { Asking } from "../common/signing/ask-custodian.ts";
import { openClaims } from "../common/signing/claims.ts";
import type { Place } from "../common/signing/wallet-lines.ts";
import { type StatusText, showStatus, statusText } from "../common/status/status.ts";
import { noteContradiction } from "../common/telemetry/event-report.ts";
import type { FollowedOperation, OperationReports } from "../common/telemetry/operation-reports.ts";
import { DraftApproval, type KeptDraft } from "./approving.ts";
import type { NODE } from "./fields.ts";
import { PassedInLine, turnOf, walletKey } from "./in-line.ts";
import { isUnproven, operationKeyOf } from "./operation-key.ts";
import { type Prepared, prepare } from "./prepared.ts";
import { contradicting, isFirstReading, type Reading, readingOf } from "./reading.ts";
import { signerOfSame } from "./same-wallet.ts";
import { isFirstTry, noteSender } from "./sender.ts";
import { type Doubt, requireContracts } from "./targets.ts";
import { type ReadableTransaction, transactionsOf } from "./transactions.ts";
import { UnderWay } from "./under-way.ts";

/** An operation that was sent, as it is kept while the node waits for it. */
export type Sent = {
  channelId: string;
  operation: Operation;
  walletOperationId: string;
  wallet: string;
  chainSelector: string;
  key: string | undefined;
  /** Whether it existed before. */
  found: boolean;
  /** The digest under which its key is claimed. */
  claim?: string | undefined;
  /** Whether the service has reported that it was not executed, and the error has left. */
  isReported?: true;
  /** When it has, by the time of the service. */
  reportedAt?: number;
};

/** One that waits for its signature, as it is kept before anyone is asked. */
export type Unsigned = { prepared: Prepared };

/** Of one message. */
export type Context = {
  connection: Connection;
  client: CrecClient;
  /** Whether the node shows another message by now. */
  isPast: () => boolean;
  /** Set where the order of messages is kept. */
  place: Place | undefined;
  /** Set where the signature takes time. */
  asking?: Asking;
  /** Set where the wait is in a file already. */
  isKept?: true;
  /** Set once it is known which operation it is. */
  report?: FollowedOperation;
};

/** Addresses that were warned of. */
const MOST_DOUBTED = 100;

/** The status of an operation that is not sent yet. */
const SIGNING = "signing";

/** What the form and the message ask for. */
type Given = Omit<Prepared, "request" | "digest"> & {
  wallet: WalletRef;
  request: Omit<Prepared["request"], "transactions"> & { transactions: readonly ReadableTransaction[] };
};

/** Creates drafts, and signs and sends operations, for one node. */
export class Submitting {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #fields: FieldReader<typeof NODE>;
  readonly #underWay = new UnderWay();
  readonly #claims: ReturnType<typeof openClaims>;
  readonly #reports: OperationReports;
  readonly #doubted = new Map<string, true>();
  readonly #approvalSigner: () => SignerRef;
  #isWarned = false;
  #isWarnedOfTime = false;

  constructor(RED: NodeAPI, node: Node, fields: FieldReader<typeof NODE>, reports: OperationReports) {
    this.#RED = RED;
    this.#node = node;
    this.#fields = fields;
    this.#reports = reports;
    this.#claims = openClaims(RED, node, fields.settings.fleet);
    const fitting = fittingSigners(async (address, signal) =>
      walletTypeAt(
        await channelOf(RED.nodes, fields.settings.channel).connection().client(),
        address,
        signal,
      ),
    );
    this.#approvalSigner = () => fitting(signerOf(RED.nodes, fields.settings.approvalSigner));
  }

  /** Whether people approve in the sidebar what this node drafts. */
  get isApproving(): boolean {
    return this.#fields.choice("mode") === "draft" && this.#fields.flag("approve");
  }

  /** Undefined for a draft that waits for another node, or that people have declined. */
  async submit(task: Task, context: Context): Promise<Sent | undefined> {
    const isDraft = this.#fields.choice("mode") === "draft";
    showStatus(
      this.#node,
      "working",
      statusText(this.#RED._, `submit-operation.status.${isDraft ? "drafting" : "signing"}`),
    );
    const given = await this.#given(task, context);
    if (isDraft) return this.#draft(task, given, context);
    // Wrong verification settings are reported before anything is signed.
    await proofCheckOf(context.connection);
    if (given.wallet.signer().custodian === undefined) return this.#send(task, given, context);
    const { wallet, ...operation } = given;
    const { prepared, isRepeated } = await prepare(context.client, operation, this.#claims, task.signal);
    return this.#signElsewhere(task, { prepared, isRepeated }, context);
  }

  /** Asks again for the signature that a message waited for when the node was stopped. */
  resume(task: Task, { prepared }: Unsigned, context: Context): Promise<Sent> {
    return this.#signElsewhere(task, { prepared, isRepeated: true }, context);
  }

  /** The message is done. */
  async end({ msg, signal }: Task, { asking, place }: Context, sent: Sent | undefined): Promise<void> {
    this.#underWay.delete(msg);
    place?.leave();
    asking?.leave();
    // A message that is kept comes again, and is done then.
    if (sent?.claim && !signal.aborted) await this.#release(sent.walletOperationId, sent.claim);
  }

  async #given({ msg, signal }: Task, { connection, client, place }: Context): Promise<Given> {
    const [RED, fields] = [this.#RED, this.#fields];
    const library = await loadLibrary();
    const { eventKeyOf, randomWalletOperationId, walletOperationIdOf } = library;
    const key = this.#keyOf(msg, eventKeyOf);
    const channel = channelOf(RED.nodes, fields.settings.channel);
    const wallet = walletOf(RED.nodes, fields.settings.wallet);
    const { chainSelector } = wallet;
    // First: until then, it is not known which messages of other nodes are for the same wallet.
    const address = await wallet.address(signal);
    place?.isOf(walletKey(wallet, address));
    const channelId = fields.of(msg).override("channel") ?? (await channel.resolve(signal));
    const where = { connection, client, channelId, signal };
    const transactions = await transactionsOf(RED, this.#node, fields, msg, chainSelector, where);
    if (!fields.flag("allowUnusual")) this.#refuseUnusual(transactions, address);
    const deadline = this.#deadline();
    const walletOperationId =
      key === undefined ? randomWalletOperationId() : walletOperationIdOf(key, { chainSelector, address });
    const request = { chain_selector: chainSelector, address, deadline, transactions };
    if (isOfEvent(key, msg)) await this.#requireSameReading(walletOperationId, readingOf(msg, library));
    for (const doubt of await requireContracts(transactions, chainSelector, where)) this.#warnOf(doubt);
    return { channelId, walletOperationId, key, wallet, request };
  }

  /** @throws UNUSUAL_RECIPIENT */
  #refuseUnusual(transactions: readonly ReadableTransaction[], wallet: string): void {
    for (const [index, call] of transactions.entries()) {
      const unusual = unusualRecipient(call, wallet);
      if (!unusual) continue;
      const words = {
        path: `calls[${index}]`,
        problem: this.#RED._(`common.unusual.${unusual.recipient}`, unusual),
        tick: this.#fields.label("allowUnusual"),
      };
      throw translatedError("UNUSUAL_RECIPIENT", this.#RED._("common.unusual.refused", words));
    }
  }

  /** Once for each address. */
  #warnOf({ why, ...values }: Doubt): void {
    if (this.#doubted.has(values.address)) return;
    setNewest(this.#doubted, values.address, true, MOST_DOUBTED);
    this.#node.warn(this.#RED._(`submit-operation.warning.${why}`, values));
  }

  /**
   * A claim that cannot be stored does not keep an operation from being sent: there is one for each log in any case.
   * @throws CONTRADICTING_EVENT
   */
  async #requireSameReading(walletOperationId: string, reading: Reading | undefined): Promise<void> {
    if (reading === undefined) return;
    const isFirst = await isFirstReading(this.#claims, walletOperationId, reading, (error) =>
      this.#node.debug(errorText(error)),
    );
    if (isFirst) return;
    noteContradiction(this.#node, reading.log);
    throw contradicting(reading.log);
  }

  async #draft(task: Task, given: Given, context: Context): Promise<Sent | undefined> {
    const { msg, send, signal } = task;
    const { client } = context;
    const { channelId, request, wallet } = given;
    const needed = this.isApproving ? this.#fields.number("approvals") : 0;
    if (needed > 0) this.#approvalSigner();
    const note = this.#noting(msg, given);
    const drafting = client.operations.draft(channelId, { ...request, ...idOf(given) }, { signal });
    const drafted = await drafting.catch(async (error: unknown) => {
      throw await explainReuse(nodeRedContext(this.#RED), error, context.connection.baseUrl);
    });
    note(drafted, client);
    const { operation, found } = drafted;
    const { operation_id: operationId, status } = operation;
    context.report = this.#reports.begin({ ...knownOf(given), operationId, status });
    const isDraft = status === "pending_signature";
    if (needed > 0 && !isDraft) return sentOf(given, drafted);
    context.report.end(isDraft ? "draft" : "reached");
    if (isDraft) noteDraft(this.#node.id, { channelId, operationId, madeAt: Date.now() });
    if (needed > 0) return this.#keepDraft(task, { given, drafted, needed }, context);
    const { baseUrl } = context.connection;
    const calls = request.transactions.map((call, index) => {
      const { implementation } = operation.transactions[index] ?? {};
      return implementation === undefined ? call : { ...call, implementation };
    });
    const preview = await previewOf(contractRegistry(this.#RED), wallet.chainSelector, calls, baseUrl);
    send(answer(msg, operation, { status: operation.status, preview }), null);
    this.#showDraft(status, found);
    return undefined;
  }

  async #keepDraft(
    task: Task,
    { given, drafted, needed }: { given: Given; drafted: Submitted; needed: number },
    context: Context,
  ): Promise<Sent | undefined> {
    const { connection, client } = context;
    const { operationDigest, operationInput } = await loadLibrary();
    const { digest, found } = drafted;
    const operation = withOwnNames(drafted.operation, given.request.transactions);
    const { channelId, walletOperationId, key } = given;
    const input = operationInput(operation);
    const chainId = await client.networks.chainIdOf(operation.chain_selector, { signal: task.signal });
    if (operationDigest(input, chainId) !== digest || operation.wallet_operation_id !== walletOperationId)
      throw otherDraft(operation);
    const before = openDrafts.get(draftKey(channelId, operation.operation_id));
    const kept: KeptDraft = {
      draft: { channelId, walletOperationId, key, digest, operation, found },
      ...{ needed, madeAt: Date.now(), approvals: before?.report.digest === digest ? before.approvals : [] },
    };
    await task.keep({ id: walletOperationId, connection, about: kept, isRequired: true });
    const { status } = operation;
    const preview = await previewOfOperation(contractRegistry(this.#RED), operation, connection.baseUrl);
    const told = answer(task.msg, { status }, { status, preview });
    task.send(null, { ...told, topic: `operation.status/${status}` });
    return this.approve(task, kept, context, preview);
  }

  /** Waits for people. Undefined where they have declined. */
  async approve(
    { msg, send, signal, keep }: Task,
    kept: KeptDraft,
    context: Context,
    shown?: readonly CallPreview[],
  ): Promise<Sent | undefined> {
    const { connection, client, isPast } = context;
    const { draft } = kept;
    const { channelId, operation, walletOperationId: id, found } = draft;
    if (!this.isApproving) throw noneApproves(operation);
    context.isKept = true;
    noteDraft(this.#node.id, { channelId, operationId: operation.operation_id, madeAt: kept.madeAt });
    const showWaiting = () => this.#showDraft(operation.status, found);
    showWaiting();
    // Who deploys more approvals means the drafts that wait, too.
    const draftNow = { ...kept, needed: Math.max(kept.needed, this.#fields.number("approvals")) };
    const preview =
      shown ?? (await previewOfOperation(contractRegistry(this.#RED), operation, connection.baseUrl));
    const key = msg.crec?.operationKey;
    const approval = new DraftApproval(draftNow, {
      ...{ RED: this.#RED, node: this.#node, client, claims: this.#claims, signer: this.#approvalSigner },
      ...{ preview, isPast, signal, showWaiting },
      operationKey: key === undefined ? undefined : String(key),
      keep: (about) => keep({ id, connection, about, isRequired: true, isLater: true }),
    });
    const { operation: now, decision } = await approval.outcome();
    // It begins anew: until here, it was a draft.
    const { report } = context;
    delete context.report;
    const { status } = now;
    if (decision) {
      msg.crec = withDetails(msg, { approval: decision });
      const topic = `operation.approval/${decision.decision}`;
      send(null, { ...answer(msg, decision, { status }), topic });
    }
    if (decision?.decision !== "declined")
      return sentOf(
        { ...draft, request: operation },
        { operation: now, digest: draft.digest, found },
        draft.digest,
      );
    report?.seen({ status });
    report?.end("reached");
    if (!isPast()) showStatus(this.#node, "done", serviceStatus(this.#RED._, status));
    return undefined;
  }

  #showDraft(status: string, found: boolean): void {
    const kind = status === "pending_signature" ? "waiting" : "done";
    showStatus(this.#node, kind, asFound(this.#RED, serviceStatus(this.#RED._, status), found));
  }

  /** By a key in this process. */
  async #send({ msg, signal }: Task, given: Given, context: Context): Promise<Sent> {
    const { client, place } = context;
    context.report = this.#reports.begin({ ...knownOf(given), status: SIGNING });
    const note = this.#noting(msg, given);
    const signer = await given.wallet.signer().signer();
    const request = { ...given.request, transactions: withoutPreview(given.request.transactions) };
    const sendBy = (deadline: number, beforeSubmit = this.#turnOf(place, deadline)) => {
      const operation = { ...request, deadline, ...idOf(given) };
      return client.operations.send(given.channelId, operation, signer, { signal, beforeSubmit });
    };
    const sending = sendBy(request.deadline)
      // It has its turn now.
      .catch((error: unknown) =>
        isPassed(error) ? sendBy(this.#deadline(), async () => {}) : Promise.reject(error),
      )
      .finally(() => place?.leave());
    const submitted = await sending.catch(async (error: unknown) => {
      throw await explainReuse(nodeRedContext(this.#RED), error, context.connection.baseUrl);
    });
    note(submitted, client);
    context.report.sent(submitted.operation);
    return sentOf(given, submitted);
  }

  /** By a key service. What it is asked for is stored before: after a restart it is asked for the same. */
  async #signElsewhere(
    task: Task,
    { prepared, isRepeated, isRenewed = false }: Unsigned & { isRepeated: boolean; isRenewed?: boolean },
    context: Context,
  ): Promise<Sent> {
    const { msg, signal } = task;
    const { channelId, walletOperationId: id, key, request, digest } = prepared;
    const { connection, client, isPast, place } = context;
    place?.isOf(walletKey({ chainSelector: request.chain_selector }, request.address));
    const note = this.#noting(msg, prepared);
    const report = context.report ?? this.#reports.begin({ ...knownOf(prepared), status: SIGNING });
    context.report = report;
    const isResumed = task.kept !== undefined;
    const ref = () => {
      const wallet = walletOf(this.#RED.nodes, this.#fields.settings.wallet);
      return isResumed ? signerOfSame(wallet, request, signal) : wallet.signer();
    };
    const toSign = { ref, digest, deadline: request.deadline, isResumed, isPast, signal };
    const asking = new Asking(this.#RED, this.#node, toSign);
    context.asking = asking;
    // Before the wait of an earlier message ends, and with it that message's request.
    this.#warnOfTime((await asking.join()).timeoutMs);
    const about = { prepared } satisfies Unsigned;
    await task.keep({ id, connection, about, isRequired: true, isLater: isRenewed });
    // One that was signed anew has its turn.
    const beforeSubmit = isRenewed ? undefined : this.#turnOf(place, request.deadline);
    const operation = { ...request, ...idOf(prepared) };
    const submitted = await asking
      .run((signer, onSigningState, isAgain) => {
        const options = { signal, onSigningState, repeated: isRepeated || isAgain, beforeSubmit };
        return client.operations.send(channelId, operation, signer, options);
      })
      .catch(async (error: unknown) => {
        if (isPassed(error)) return undefined;
        place?.leave();
        // The key service remembers its answer. Another deadline makes it another question.
        if (toCodedError(error).code === "SIGNER_REFUSED") await this.#release(id, digest);
        throw await explainReuse(nodeRedContext(this.#RED), error, context.connection.baseUrl);
      });
    if (submitted === undefined) {
      asking.leave();
      const later = { ...prepared, request: { ...request, deadline: this.#deadline() } };
      const renewed = await prepare(client, later, this.#claims, signal);
      return this.#signElsewhere(task, { ...renewed, isRenewed: true }, context);
    }
    place?.leave();
    note(submitted, client);
    report.sent(submitted.operation);
    return sentOf(prepared, submitted, key === undefined ? undefined : digest);
  }

  /** From here on, a Catch node gets the operation with every error. The function adds what is known once it is sent. */
  #noting(
    msg: CrecMessage,
    operation: Omit<Given, "wallet"> | Prepared,
  ): (submitted: Submitted, client: CrecClient) => void {
    const { channelId, walletOperationId, key } = operation;
    const origin = { ...msg.crec };
    const isFirst = key !== undefined && isFirstTry(key);
    const isPrepared = "digest" in operation;
    const signing = isPrepared ? { digest: operation.digest, deadline: operation.request.deadline } : {};
    msg.crec = withDetails(msg, { channelId, walletOperationId, ...signing });
    // What is said of an operation that the message was about before does not stay.
    delete msg.crec.usedKey;
    delete msg.crec.approval;
    if (key !== undefined) msg.crec.usedKey = key;
    return ({ operation: shown, digest, found }, client) => {
      const ids = { channelId, operationId: shown.operation_id };
      msg.crec = { ...withDetails(msg, ids), digest, ...createdOf(client, msg, ids) };
      if (isPrepared) msg.crec.deadline = shown.deadline;
      if (key !== undefined) msg.crec.found = found;
      const isEvent = this.#fields.choice("onceFor") === "event";
      noteSender(shown, { found, origin, isEvent, isFirstTry: isFirst });
    };
  }

  #keyOf(msg: CrecMessage, eventKeyOf: (dedupeKey: string) => string): string | undefined {
    const onceFor = this.#fields.choice("onceFor");
    const key = operationKeyOf(msg, { onceFor, nodeId: this.#node.id, eventKeyOf });
    if (key === undefined && onceFor === "event" && isUnproven(msg) && !this.#isWarned) {
      this.#isWarned = true;
      this.#node.warn(this.#RED._("submit-operation.warning.unproven"));
    }
    if (isOfEvent(key, msg) && this.#underWay.add(msg, key))
      this.#node.warn(this.#RED._("submit-operation.warning.copies"));
    return key;
  }

  /** Once: a signature that comes too late is not used. */
  #warnOfTime(timeoutMs = 0): void {
    const deadline = this.#fields.number("deadline") * 60;
    if (this.#isWarnedOfTime || deadline === 0 || timeoutMs <= deadline * 1000) return;
    this.#isWarnedOfTime = true;
    const words = (seconds: number) => durationWords((key, values) => this.#RED._(key, values), seconds);
    const values = { signer: words(timeoutMs / 1000), deadline: words(deadline) };
    this.#node.warn(this.#RED._("submit-operation.warning.signer-longer", values));
  }

  #deadline(): number {
    return deadlineIn(this.#fields.number("deadline"));
  }

  #turnOf(place: Place | undefined, deadline: number): (() => Promise<void>) | undefined {
    return turnOf(place, { timeoutMs: this.#fields.milliseconds("timeout"), deadline });
  }

  /** What is left of a claim ends with its deadline. */
  async #release(id: string, claim: string): Promise<void> {
    await this.#claims()
      .then((claims) => claims.release(id, claim))
      .catch((error: unknown) => this.#node.debug(errorText(error)));
  }
}

function isPassed(error: unknown): boolean {
  return error instanceof PassedInLine;
}

/** Whether the key was made of an event; else the flow has set it. */
function isOfEvent(key: string | undefined, { crec }: CrecMessage): key is string {
  return key !== undefined && crec?.operationKey === undefined;
}

/** The status of an operation that may have existed before. */
export function asFound(RED: NodeAPI, { code, text }: StatusText, found: boolean): StatusText {
  return { code, text: found ? RED._("submit-operation.status.found", { status: text }) : text };
}

/** @throws OPERATION_AWAITS_APPROVAL */
function sentOf(
  { channelId, walletOperationId, key, request }: Omit<Given, "wallet"> | Prepared,
  { operation, found }: Submitted,
  claim?: string,
): Sent {
  if (operation.status === "pending_signature") throw awaitsApproval(operation);
  const { address: wallet, chain_selector: chainSelector } = request;
  return { channelId, operation, walletOperationId, wallet, chainSelector, key, found, claim };
}

/** For its report. */
function knownOf({ channelId, walletOperationId, request }: Omit<Given, "wallet"> | Prepared) {
  const { address: wallet, chain_selector: chainSelector } = request;
  return { channelId, walletOperationId, wallet, chainSelector };
}

/** The names of a draft are not signed, and the service could show any: those of this node count. */
function withOwnNames(shown: Operation, made: readonly ReadableTransaction[]): Operation {
  const transactions = shown.transactions.map(({ preview, ...call }, index) => ({
    ...call,
    preview_snapshot: made[index]?.preview,
  }));
  return { ...shown, transactions };
}

function withoutPreview(transactions: readonly ReadableTransaction[]): TransactionInput[] {
  return transactions.map(({ preview, ...call }) => call);
}

/** For the service: the id itself, or the key from which it is made. */
function idOf({ walletOperationId, key }: Pick<Given, "walletOperationId" | "key">) {
  return key === undefined ? { wallet_operation_id: walletOperationId } : { operation_key: key };
}

/** It was created under this key as a draft, for another person to approve, so it is not signed here. */
function awaitsApproval({ operation_id: id }: Operation): Error {
  const message = `Waits for approval: the operation of this key is a draft, so it was not sent. Approve or cancel it with the node "operation". Operation ${id}.`;
  return nodeError("OPERATION_AWAITS_APPROVAL", message);
}

function otherDraft({ operation_id: id }: Operation): Error {
  const message = `The service shows another draft than was made, so nobody was asked to approve it. Check who else can change its drafts. Operation ${id}.`;
  return nodeError("DIGEST_MISMATCH", message);
}

function noneApproves({ operation_id: id }: Operation): Error {
  const message = `The node lets nobody approve in the sidebar any more, so the draft does not wait there. Approve or cancel it with the node "operation". Operation ${id}.`;
  return nodeError("WAIT_DROPPED", message);
}

/** Unix seconds; 0 for none. */
function deadlineIn(minutes: number): number {
  return minutes === 0 ? 0 : Math.floor(Date.now() / 1000 + minutes * 60);
}
