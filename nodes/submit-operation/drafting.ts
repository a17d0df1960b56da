import type { Operation, Submitted } from "../../src/index.ts";
import { draftKey, noteDraft, openDrafts } from "../common/approvals/open-drafts.ts";
import { type CallPreview, previewOf, previewOfOperation } from "../common/contracts/call-preview.ts";
import { contractRegistry } from "../common/contracts/contract-registry.ts";
import { channelOf, type SignerRef, signerOf } from "../common/fields/config-nodes.ts";
import { fittingSigners, walletTypeAt } from "../common/fields/fitting-signer.ts";
import { answer, type Task } from "../common/fields/input.ts";
import { loadLibrary } from "../common/library.ts";
import { explainReuse } from "../common/messages/key-reused.ts";
import { withDetails } from "../common/messages/message.ts";
import { serviceStatus } from "../common/messages/service-words.ts";
import { nodeError } from "../common/shared/errors.ts";
import type { SigningClaims } from "../common/signing/claims.ts";
import { showStatus } from "../common/status/status.ts";
import type { OperationReports } from "../common/telemetry/operation-reports.ts";
import { DraftApproval } from "./approving.ts";
import { asFound } from "./following.ts";
import type { Course, SubmitContext } from "./given.ts";
import { type Given, idOf, type KeptDraft, knownOf, type Sent, sentOf } from "./operation-value.ts";
import { noting } from "./sender.ts";
import type { ReadableTransaction } from "./transactions.ts";

/** Creates drafts, which another node finalizes, or people approve in the sidebar. */
export class Drafting {
  readonly #context: SubmitContext;
  readonly #reports: OperationReports;
  readonly #claims: () => Promise<SigningClaims>;
  readonly #approvalSigner: () => SignerRef;

  constructor(context: SubmitContext, reports: OperationReports, claims: () => Promise<SigningClaims>) {
    this.#context = context;
    this.#reports = reports;
    this.#claims = claims;
    const { RED, fields } = context;
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
    const { fields } = this.#context;
    return fields.choice("mode") === "draft" && fields.flag("approve");
  }

  /** Undefined for a draft that waits for another node, or that people have declined. */
  async draft(task: Task, given: Given, course: Course): Promise<Sent | undefined> {
    const { msg, send, signal } = task;
    const { client } = course;
    const { RED, node, fields } = this.#context;
    const { channelId, request, wallet } = given;
    const value = { state: "given", given } as const;
    const needed = this.isApproving ? fields.number("approvals") : 0;
    if (needed > 0) this.#approvalSigner();
    const note = noting(msg, value, () => fields.choice("onceFor") === "event");
    const drafting = client.operations.draft(channelId, { ...request, ...idOf(given) }, { signal });
    const drafted = await drafting.catch(async (error: unknown) => {
      throw await explainReuse(this.#context, error, course.connection.baseUrl);
    });
    note(drafted, client);
    const { operation, found } = drafted;
    const { operation_id: operationId, status } = operation;
    course.report = this.#reports.begin({ ...knownOf(value), operationId, status });
    const isDraft = status === "pending_signature";
    if (needed > 0 && !isDraft) return sentOf(value, drafted);
    course.report.end(isDraft ? "draft" : "reached");
    if (isDraft) noteDraft(node.id, { channelId, operationId, madeAt: Date.now() });
    if (needed > 0) return this.#keepDraft(task, { given, drafted, needed }, course);
    const { baseUrl } = course.connection;
    const calls = request.transactions.map((call, index) => {
      const { implementation } = operation.transactions[index] ?? {};
      return implementation === undefined ? call : { ...call, implementation };
    });
    const preview = await previewOf(contractRegistry(RED), wallet.chainSelector, calls, baseUrl);
    send(answer(msg, operation, { status: operation.status, preview }), null);
    this.#showDraft(status, found);
    return undefined;
  }

  async #keepDraft(
    task: Task,
    { given, drafted, needed }: { given: Given; drafted: Submitted; needed: number },
    course: Course,
  ): Promise<Sent | undefined> {
    const { connection, client } = course;
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
    const preview = await previewOfOperation(
      contractRegistry(this.#context.RED),
      operation,
      connection.baseUrl,
    );
    const told = answer(task.msg, { status }, { status, preview });
    task.send(null, { ...told, topic: `operation.status/${status}` });
    return this.approve(task, kept, course, preview);
  }

  /** Waits for people. Undefined where they have declined. */
  async approve(
    { msg, send, signal, keep }: Task,
    kept: KeptDraft,
    course: Course,
    shown?: readonly CallPreview[],
  ): Promise<Sent | undefined> {
    const { connection, client, isPast } = course;
    const { node, fields } = this.#context;
    const { draft } = kept;
    const { channelId, operation, walletOperationId: id, found } = draft;
    if (!this.isApproving) throw noneApproves(operation);
    course.isKept = true;
    noteDraft(node.id, { channelId, operationId: operation.operation_id, madeAt: kept.madeAt });
    const showWaiting = () => this.#showDraft(operation.status, found);
    showWaiting();
    // Who deploys more approvals means the drafts that wait, too.
    const draftNow = { ...kept, needed: Math.max(kept.needed, fields.number("approvals")) };
    const preview =
      shown ?? (await previewOfOperation(contractRegistry(this.#context.RED), operation, connection.baseUrl));
    const key = msg.crec?.operationKey;
    const approval = new DraftApproval(draftNow, {
      ...{ context: this.#context, client, claims: this.#claims, signer: this.#approvalSigner },
      ...{ preview, isPast, signal, showWaiting },
      operationKey: key === undefined ? undefined : String(key),
      keep: (about) => keep({ id, connection, about, isRequired: true, isLater: true }),
    });
    const { operation: now, decision } = await approval.outcome();
    // It begins anew: until here, it was a draft.
    const { report } = course;
    delete course.report;
    const { status } = now;
    if (decision) {
      msg.crec = withDetails(msg, { approval: decision });
      const topic = `operation.approval/${decision.decision}`;
      send(null, { ...answer(msg, decision, { status }), topic });
    }
    if (decision?.decision !== "declined")
      return sentOf({ state: "draft", kept }, { operation: now, digest: draft.digest, found }, draft.digest);
    report?.seen({ status });
    report?.end("reached");
    if (!isPast()) showStatus(node, "done", serviceStatus(this.#context.t, status));
    return undefined;
  }

  #showDraft(status: string, found: boolean): void {
    const { node, t } = this.#context;
    const kind = status === "pending_signature" ? "waiting" : "done";
    showStatus(node, kind, asFound(t, serviceStatus(t, status), found));
  }
}

/** The names of a draft are not signed, and the service could show any: those of this node count. */
function withOwnNames(shown: Operation, made: readonly ReadableTransaction[]): Operation {
  const transactions = shown.transactions.map(({ preview, ...call }, index) => ({
    ...call,
    preview_snapshot: made[index]?.preview,
  }));
  return { ...shown, transactions };
}

function otherDraft({ operation_id: id }: Operation): Error {
  const message = `The service shows another draft than was made, so nobody was asked to approve it. Check who else can change its drafts. Operation ${id}.`;
  return nodeError("DIGEST_MISMATCH", message);
}

function noneApproves({ operation_id: id }: Operation): Error {
  const message = `The node lets nobody approve in the sidebar any more, so the draft does not wait there. Approve or cancel it with the node "operation". Operation ${id}.`;
  return nodeError("WAIT_DROPPED", message);
}
