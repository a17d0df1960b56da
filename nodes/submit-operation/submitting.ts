import type { CrecClient, Submitted, TransactionInput } from "../../src/index.ts";
import { type SignerRef, type WalletRef, walletOf } from "../common/fields/config-nodes.ts";
import type { Task } from "../common/fields/input.ts";
import { errorText } from "../common/messages/error-texts.ts";
import { explainReuse } from "../common/messages/key-reused.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { proofCheckOf } from "../common/messages/operation-proof.ts";
import { nodeError, toCodedError } from "../common/shared/errors.ts";
import { durationWords } from "../common/shared/times.ts";
import { Asking } from "../common/signing/ask-custodian.ts";
import { openClaims } from "../common/signing/claims.ts";
import type { Place } from "../common/signing/wallet-lines.ts";
import { showStatus, statusText } from "../common/status/status.ts";
import type { OperationReports } from "../common/telemetry/operation-reports.ts";
import { Drafting } from "./drafting.ts";
import { Asked, type Course, type SubmitContext } from "./given.ts";
import { PassedInLine, turnOf, walletKey } from "./in-line.ts";
import {
  type Given,
  idOf,
  knownOf,
  type OperationValue,
  prepare,
  type Sent,
  sentOf,
  type Unsigned,
} from "./operation-value.ts";
import { noting } from "./sender.ts";
import type { ReadableTransaction } from "./transactions.ts";

/** The status of an operation that is not sent yet. */
const SIGNING = "signing";

/** Signs and sends operations for one node, or has them drafted. */
export class Submitting {
  readonly drafting: Drafting;
  readonly #context: SubmitContext;
  readonly #asked: Asked;
  readonly #claims: ReturnType<typeof openClaims>;
  readonly #reports: OperationReports;
  #isWarnedOfTime = false;

  constructor(context: SubmitContext, reports: OperationReports) {
    const { RED, node, fields } = context;
    this.#context = context;
    this.#reports = reports;
    this.#claims = openClaims(RED, node, fields.settings.fleet);
    this.#asked = new Asked(context, this.#claims);
    this.drafting = new Drafting(context, reports, this.#claims);
  }

  /** Undefined for a draft that waits for another node, or that people have declined. */
  async submit(task: Task, course: Course): Promise<Sent | undefined> {
    const { node, t, fields } = this.#context;
    const isDraft = fields.choice("mode") === "draft";
    showStatus(node, "working", statusText(t, `submit-operation.status.${isDraft ? "drafting" : "signing"}`));
    const given = await this.#asked.of(task, course);
    if (isDraft) return this.drafting.draft(task, given, course);
    // Wrong verification settings are reported before anything is signed.
    await proofCheckOf(course.connection);
    if (given.wallet.signer().custodian === undefined) return this.#send(task, given, course);
    const { wallet, ...operation } = given;
    const { prepared, isRepeated } = await prepare(course.client, operation, this.#claims, task.signal);
    return this.#signElsewhere(task, { prepared, isRepeated }, course);
  }

  /** Asks again for the signature that a message waited for when the node was stopped. */
  resume(task: Task, { prepared }: Unsigned, course: Course): Promise<Sent> {
    return this.#signElsewhere(task, { prepared, isRepeated: true }, course);
  }

  /** The message is done. */
  async end({ msg, signal }: Task, { asking, place }: Course, sent: Sent | undefined): Promise<void> {
    this.#asked.end(msg);
    place?.leave();
    asking?.leave();
    // A message that is kept comes again, and is done then.
    if (sent?.claim && !signal.aborted) await this.#release(sent.walletOperationId, sent.claim);
  }

  /** By a key in this process. */
  async #send({ msg, signal }: Task, given: Given, course: Course): Promise<Sent> {
    const { client, place } = course;
    const value = { state: "given", given } as const;
    course.report = this.#reports.begin({ ...knownOf(value), status: SIGNING });
    const note = this.#noting(msg, value);
    const signer = await given.wallet.signer().signer();
    const request = { ...given.request, transactions: withoutPreview(given.request.transactions) };
    const sendBy = (deadline: number, beforeSubmit = this.#turnOf(place, deadline)) => {
      const operation = { ...request, deadline, ...idOf(given) };
      return client.operations.send(given.channelId, operation, signer, { signal, beforeSubmit });
    };
    const sending = sendBy(request.deadline)
      // It has its turn now.
      .catch((error: unknown) =>
        isPassed(error) ? sendBy(this.#asked.deadline(), async () => {}) : Promise.reject(error),
      )
      .finally(() => place?.leave());
    const submitted = await sending.catch(async (error: unknown) => {
      throw await explainReuse(this.#context, error, course.connection.baseUrl);
    });
    note(submitted, client);
    course.report.sent(submitted.operation);
    return sentOf(value, submitted);
  }

  /** By a key service. What it is asked for is stored before: after a restart it is asked for the same. */
  async #signElsewhere(
    task: Task,
    { prepared, isRepeated, isRenewed = false }: Unsigned & { isRepeated: boolean; isRenewed?: boolean },
    course: Course,
  ): Promise<Sent> {
    const { msg, signal } = task;
    const { RED, node, fields } = this.#context;
    const value = { state: "unsigned", prepared } as const;
    const { channelId, walletOperationId: id, key, request, digest } = prepared;
    const { connection, client, isPast, place } = course;
    place?.isOf(walletKey({ chainSelector: request.chain_selector }, request.address));
    const note = this.#noting(msg, value);
    const report = course.report ?? this.#reports.begin({ ...knownOf(value), status: SIGNING });
    course.report = report;
    const isResumed = task.kept !== undefined;
    const ref = () => {
      const wallet = walletOf(RED.nodes, fields.settings.wallet);
      return isResumed ? signerOfSame(wallet, request, signal) : wallet.signer();
    };
    const toSign = { ref, digest, deadline: request.deadline, isResumed, isPast, signal };
    const asking = new Asking(RED, node, toSign);
    course.asking = asking;
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
        throw await explainReuse(this.#context, error, course.connection.baseUrl);
      });
    if (submitted === undefined) {
      asking.leave();
      const later = { ...prepared, request: { ...request, deadline: this.#asked.deadline() } };
      const renewed = await prepare(client, later, this.#claims, signal);
      return this.#signElsewhere(task, { ...renewed, isRenewed: true }, course);
    }
    place?.leave();
    note(submitted, client);
    report.sent(submitted.operation);
    return sentOf(value, submitted, key === undefined ? undefined : digest);
  }

  /** Once: a signature that comes too late is not used. */
  #warnOfTime(timeoutMs = 0): void {
    const { node, fields, t } = this.#context;
    const deadline = fields.number("deadline") * 60;
    if (this.#isWarnedOfTime || deadline === 0 || timeoutMs <= deadline * 1000) return;
    this.#isWarnedOfTime = true;
    const words = (seconds: number) => durationWords(t, seconds);
    const values = { signer: words(timeoutMs / 1000), deadline: words(deadline) };
    node.warn(t("submit-operation.warning.signer-longer", values));
  }

  #turnOf(place: Place | undefined, deadline: number): (() => Promise<void>) | undefined {
    return turnOf(place, { timeoutMs: this.#context.fields.milliseconds("timeout"), deadline });
  }

  /** What is left of a claim ends with its deadline. */
  async #release(id: string, claim: string): Promise<void> {
    await this.#claims()
      .then((claims) => claims.release(id, claim))
      .catch((error: unknown) => this.#context.node.debug(errorText(error)));
  }

  #noting(msg: CrecMessage, value: OperationValue): (submitted: Submitted, client: CrecClient) => void {
    return noting(msg, value, () => this.#context.fields.choice("onceFor") === "event");
  }
}

function isPassed(error: unknown): boolean {
  return error instanceof PassedInLine;
}

function withoutPreview(transactions: readonly ReadableTransaction[]): TransactionInput[] {
  return transactions.map(({ preview, ...call }) => call);
}

/** The wallet of an operation, as it is kept. */
type KeptWallet = { chain_selector: string; address: string };

/**
 * The signer of a node's wallet, for an operation that was prepared before a deploy: it is only opened where the wallet is
 * still the one of the operation. Otherwise the signer of one wallet would sign for another, which refuses it on chain.
 */
function signerOfSame(wallet: WalletRef, kept: KeptWallet, signal: AbortSignal): SignerRef {
  const ref = wallet.signer();
  return {
    ...ref,
    signer: async () => {
      const address = await wallet.address(signal);
      const isSame =
        wallet.chainSelector === kept.chain_selector && address.toLowerCase() === kept.address.toLowerCase();
      if (!isSame) throw otherWallet(kept);
      return ref.signer();
    },
  };
}

function otherWallet({ address }: KeptWallet): Error {
  const message = `The node has another wallet now, so the wait was not resumed. Nobody was asked to sign, and nothing was submitted. Choose the earlier wallet again, or send the message again for the new one. Wallet ${address}.`;
  return nodeError("WAIT_DROPPED", message);
}
