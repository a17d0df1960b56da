import { setTimeout as sleep } from "node:timers/promises";
import type { CrecClient, Operation } from "../../src/index.ts";
import {
  draftKey,
  isApprovalOff,
  type OpenDraft,
  openDrafts,
  refused,
} from "../common/approvals/open-drafts.ts";
import { isShownWhole, shownCalls, visible } from "../common/approvals/shown-calls.ts";
import type { Approval, Decided, Decision } from "../common/approvals/types.ts";
import type { NodeContext } from "../common/context.ts";
import type { CallPreview } from "../common/contracts/call-preview.ts";
import type { SignerRef } from "../common/fields/config-nodes.ts";
import { loadLibrary } from "../common/library.ts";
import { errorText } from "../common/messages/error-texts.ts";
import { toCodedError } from "../common/shared/errors.ts";
import { Asking } from "../common/signing/ask-custodian.ts";
import { isOver, type SigningClaims } from "../common/signing/claims.ts";
import { originOf } from "../common/telemetry/origin.ts";
import { changed, Expired, interrupted, requireShownCode } from "./approval-refusals.ts";
import type { KeptDraft } from "./operation-value.ts";

type Approving = {
  context: Pick<NodeContext, "RED" | "node">;
  client: CrecClient;
  claims: () => Promise<SigningClaims>;
  signer: () => SignerRef;
  preview: readonly CallPreview[];
  operationKey: string | undefined;
  isPast: () => boolean;
  /** Under the node: that it waits for people. */
  showWaiting: () => void;
  signal: AbortSignal;
  /** Throws where it cannot be stored. */
  keep: (kept: KeptDraft) => Promise<void>;
};

/** How it ended: decided here, or found to be no draft any more. */
type Outcome = {
  operation: Operation;
  decision?: Approval & { decision: "approved" | "declined"; approvals: readonly Approval[] };
};

/** A person does not wait longer for the answer. */
const LONGEST_ANSWER_MS = 25_000;
const LATE: Decided = { outcome: "signing", left: 0 };
const PATIENCE_MS = 15_000;
const DAY_MS = 86_400_000;
/** Others may decide, too: that is no hurry. */
const LOOK_MS = { min: 1_000, max: 15_000 };
/** The service says itself that a draft has expired. */
const GRACE_MS = 60_000;

/** Lists a draft in the sidebar until it is decided there, or elsewhere, or has expired. */
export class DraftApproval {
  readonly #given: Approving;
  #decided: (result: Outcome) => void = () => {};
  #kept: KeptDraft;
  #isBusy = false;
  #acting: Promise<unknown> | undefined;
  #result: Outcome | undefined;
  #open: OpenDraft | undefined;

  constructor(kept: KeptDraft, given: Approving) {
    this.#kept = kept;
    this.#given = given;
  }

  async outcome(): Promise<Outcome> {
    const { signal } = this.#given;
    const ending = new AbortController();
    try {
      const elsewhere = this.#changed(AbortSignal.any([signal, ending.signal]));
      elsewhere.catch(() => {});
      const here = new Promise<Outcome>((resolve) => {
        this.#decided = resolve;
      });
      this.#show();
      return await Promise.race([here, elsewhere]);
    } finally {
      ending.abort();
      if (openDrafts.get(this.#key) === this.#open) openDrafts.delete(this.#key);
    }
  }

  get #key(): string {
    const { channelId, operation } = this.#kept.draft;
    return draftKey(channelId, operation.operation_id);
  }

  #show(): void {
    const { preview, operationKey } = this.#given;
    const { RED, node } = this.#given.context;
    const { draft, needed, approvals, madeAt } = this.#kept;
    const { operation, digest } = draft;
    const calls = shownCalls(preview);
    this.#open = {
      report: {
        ...originOf(node),
        ...{ key: this.#key, operationId: operation.operation_id, wallet: operation.address },
        ...{ chainSelector: operation.chain_selector, deadline: operation.deadline, madeAt },
        ...(operationKey === undefined ? {} : { operationKey: visible(operationKey) }),
        ...{ digest, calls, isWhole: isShownWhole(calls), needed, isBusy: this.#isBusy },
        ...{ approvedBy: approvals.map(({ by = "" }) => by), isOff: isApprovalOff(RED) },
      },
      approvals,
      decide: (decision) => this.#decide(decision),
    };
    openDrafts.set(this.#open);
  }

  async #decide({ digest, isApproved, by }: Decision): Promise<Decided> {
    const { draft } = this.#kept;
    const { isPast, showWaiting, signal } = this.#given;
    const { node } = this.#given.context;
    if (digest.toLowerCase() !== draft.digest.toLowerCase())
      throw refused("the draft is not the one that you were shown. Look at it again");
    if (isOver(draft.operation)) throw refused("its deadline has passed");
    if (this.#isBusy) throw refused("another decision about it is being carried out");
    if (isApproved) this.#requireOther(by);
    this.#isBusy = true;
    this.#show();
    const acting = (isApproved ? this.#approve(by) : this.#decline(by)).finally(() => {
      this.#isBusy = false;
      if (this.#result || openDrafts.get(this.#key) !== this.#open) return;
      this.#show();
      // It may show what a key service, or an outage, kept it waiting for.
      if (!isPast()) showWaiting();
    });
    this.#acting = acting.catch(() => {});
    const answered = new AbortController();
    const late = sleep(LONGEST_ANSWER_MS, LATE, { signal: answered.signal, ref: false }).then((answer) => {
      // Who has decided got that answer: what becomes of it is in the log.
      acting.catch((error: unknown) => {
        if (!signal.aborted) node.warn(errorText(error));
      });
      return answer;
    });
    late.catch(() => {});
    return Promise.race([acting, late])
      .catch((error: unknown) => {
        throw signal.aborted ? interrupted(error) : error;
      })
      .finally(() => answered.abort());
  }

  #requireOther(by: string | undefined): void {
    const { needed, approvals } = this.#kept;
    if (!this.#open?.report.isWhole) throw refused("its calls are too long to be shown whole");
    if (by === undefined && needed > 1)
      throw refused(`${needed} different people have to approve it, and without a login they are not known`);
    if (by !== undefined && approvals.some((one) => nameOf(one.by) === nameOf(by)))
      throw refused("you have approved it before. Another person has to approve it, too");
  }

  async #approve(by: string | undefined): Promise<Decided> {
    const mine = approvalBy(by);
    const approvals = [...this.#kept.approvals, mine];
    const left = this.#kept.needed - approvals.length;
    if (left > 0) {
      await this.#keep({ ...this.#kept, approvals });
      return { outcome: "waits", left };
    }
    const operation = await this.#carryOut(mine, () => this.#sign());
    this.#end({ operation, decision: { decision: "approved", ...mine, approvals } });
    return { outcome: "approved", left };
  }

  async #decline(by: string | undefined): Promise<Decided> {
    const { draft, approvals } = this.#kept;
    const { client, signal } = this.#given;
    const mine = approvalBy(by);
    const operation = await client.operations.cancel(draft.channelId, draft.operation.operation_id, {
      ...{ signal, patienceMs: PATIENCE_MS },
    });
    this.#end({ operation, decision: { decision: "declined", ...mine, approvals } });
    return { outcome: "declined", left: 0 };
  }

  #end(result: Outcome): void {
    this.#result = result;
    this.#decided(result);
  }

  /** Who decides is stored before, so that it is known after a crash in between. */
  async #carryOut(deciding: Approval, sign: () => Promise<Operation>): Promise<Operation> {
    const before = this.#kept;
    await this.#keep({ ...before, deciding });
    try {
      return await sign();
    } catch (error) {
      const isUnknown = (error as { retryable?: unknown }).retryable === true || this.#given.signal.aborted;
      if (!isUnknown) await this.#keep(before).catch(() => {});
      throw error;
    }
  }

  /** What is signed is computed from what was stored, and compared with what was shown and what the service has. */
  async #sign(): Promise<Operation> {
    const { client, claims, signer, isPast, signal } = this.#given;
    const { RED, node } = this.#given.context;
    const { channelId, walletOperationId, digest, operation } = this.#kept.draft;
    const { operationDigest, operationInput } = await loadLibrary();
    const { deadline } = operation;
    const chainId = await client.networks.chainIdOf(operation.chain_selector, { signal });
    const stored = operationDigest(operationInput(operation), chainId);
    if (stored.toLowerCase() !== digest.toLowerCase()) throw changed();
    await requireShownCode(client, this.#kept.draft, signal);
    const open = await claims();
    const claim = await open.claim(walletOperationId, { digest, deadline });
    if (claim.digest !== digest)
      throw refused("another operation is being signed under its id. Wait until that one is done");
    const toSign = { ref: signer, digest, deadline, isResumed: false, isPast, signal };
    const asking = new Asking(RED, node, toSign);
    try {
      return await asking.run((key, onSigningState, repeated) =>
        client.operations.finalize(channelId, operation.operation_id, key, {
          ...{ digest, signal, onSigningState, repeated, patienceMs: PATIENCE_MS },
        }),
      );
    } catch (error) {
      await open
        .release(walletOperationId, digest)
        .catch((failure: unknown) => node.debug(errorText(failure)));
      throw error;
    } finally {
      asking.leave();
    }
  }

  async #keep(kept: KeptDraft): Promise<void> {
    await this.#given.keep(kept);
    this.#kept = kept;
  }

  /** Resolves when the service shows that it is no draft any more. */
  async #changed(signal: AbortSignal): Promise<Outcome> {
    const { client } = this.#given;
    const { channelId, operation } = this.#kept.draft;
    const { operation_id: id, deadline } = operation;
    const endsAt = deadline === 0 ? Number.POSITIVE_INFINITY : deadline * 1000 + GRACE_MS;
    for (;;) {
      const timeoutMs = Math.min(DAY_MS, Math.max(1_000, endsAt - Date.now()));
      try {
        const changes = client.operations.follow(channelId, operation, {
          signal,
          timeoutMs,
          pollMs: LOOK_MS,
        });
        for await (const { status } of changes) {
          if (status === "pending_signature") continue;
          const shown = await client.operations.get(channelId, id, { signal });
          // It may be what this node is doing.
          await this.#acting;
          if (this.#result) return this.#result;
          // Where a signature may have been submitted, it is looked into like any other that has expired.
          const isSigned = Boolean(shown.signature) || this.#kept.deciding !== undefined;
          if (shown.status === "expired" && !isSigned) throw new Expired(id);
          return { operation: shown, ...this.#afterAll(shown) };
        }
      } catch (error) {
        if (signal.aborted || error instanceof Expired) throw error;
        const isPastEnd = Date.now() >= endsAt;
        if (isPastEnd && (await this.#isStillDraft())) throw new Expired(id);
        // It can be decided as soon as the service answers again: until then, each decision says why not.
        if (isPastEnd || toCodedError(error).code !== "WAIT_TIMEOUT")
          await sleep(LOOK_MS.max, undefined, { signal });
      }
    }
  }

  /** Without an answer that is not known, and it may have been signed meanwhile: here, or elsewhere. */
  async #isStillDraft(): Promise<boolean> {
    const { client, signal } = this.#given;
    const { channelId, operation } = this.#kept.draft;
    if (this.#isBusy) return false;
    const shown = await client.operations
      .get(channelId, operation.operation_id, { signal })
      .catch(() => undefined);
    return shown?.status === "pending_signature";
  }

  /** A decision of before whose answer was lost. */
  #afterAll({ status }: Operation): Pick<Outcome, "decision"> {
    const { deciding, approvals } = this.#kept;
    if (deciding === undefined || status === "cancelled" || status === "expired") return {};
    return { decision: { decision: "approved", ...deciding, approvals: [...approvals, deciding] } };
  }
}

function approvalBy(by: string | undefined): Approval {
  return { ...(by === undefined ? {} : { by }), at: Date.now() };
}

/** Some logins take a name in any case. */
function nameOf(name = ""): string {
  return name.trim().normalize("NFKC").toLowerCase();
}
