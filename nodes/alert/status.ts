import type { Node } from "node-red";
import type { AlertInput, AlertLimits, AlertSettings, PassedReason } from "../../src/index.ts";
import type { NodeContext, Translate } from "../common/context.ts";
import { errorText, shortText } from "../common/messages/error-texts.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { isTest } from "../common/messages/message.ts";
import { toCodedError } from "../common/shared/errors.ts";
import {
  errorStatus,
  type StatusKind,
  type StatusText,
  showStatus,
  statusText,
} from "../common/status/status.ts";
import { activity } from "../common/telemetry/activity.ts";
import { originOf } from "../common/telemetry/origin.ts";
import type { AlertSumReport } from "../common/telemetry/types.ts";
import { contractKey } from "./input/input.ts";
import type { Leaving, Separate } from "./outputs/leaving.ts";
import { oneLine } from "./texts/values.ts";

/** Updates of the counts are at least this far apart: each costs as much as an event. */
const COUNTS_MS = 250;

/** Of a reader. */
const LONGEST_NAME = 40;

/** The status of the node: the latest problem, else what it has counted. */
export class AlertStatus {
  readonly #t: Translate;
  readonly #node: Node;
  #alerts = 0;
  #quiet = 0;
  #isShared = false;
  #isPerCopy = false;
  /** Where something is due and waits: for the reader with this name, as far as it is known. */
  #waitsFor: string | undefined;
  #isReaderStopped = false;
  #isContradicted = false;
  #isDifferent = false;
  #limits: AlertLimits = { notCounted: 0, forgotten: 0, forgottenEvents: 0 };
  /** The code of the problem that was logged. */
  #problem: string | undefined;
  #shown = "";
  #countedAt = Number.NEGATIVE_INFINITY;
  #next: NodeJS.Timeout | undefined;

  constructor({ node, t }: Pick<NodeContext, "node" | "t">) {
    this.#t = t;
    this.#node = node;
  }

  /** The memory can be used. */
  ready(isShared: boolean): void {
    const isNews = this.#problem !== undefined || this.#shown === "";
    this.#isShared = isShared;
    this.#problem = undefined;
    if (isNews) this.#showCounts();
  }

  /** The memory cannot be used; logged when it is news. */
  problem(thrown: unknown): void {
    const error = toCodedError(thrown);
    const isStandby = error.code === "FOLDER_IN_USE";
    if (isStandby) this.#show("stopped", statusText(this.#t, "alert.status.standby"));
    else this.#show("error", errorStatus(error));
    if (this.#problem !== error.code && !isStandby) this.#node.warn(errorText(error));
    this.#problem = error.code;
  }

  /** A limit was reached, or something was lost. */
  warn(message: string): void {
    this.#node.warn(message);
    this.#show("error", { code: "warning", text: shortText(new Error(message)) });
  }

  /** What is due waits, because its events were not all read; undefined where nothing does. */
  waits(waitsFor: { reader?: string | undefined } | undefined): void {
    const reader = waitsFor && oneLine(waitsFor.reader ?? "", LONGEST_NAME);
    if (reader === this.#waitsFor) return;
    this.#waitsFor = reader;
    if (this.#problem === undefined) this.#showCounts();
  }

  /** Whether the events in before it has stopped. */
  readerStopped(isStopped: boolean): void {
    if (isStopped === this.#isReaderStopped) return;
    this.#isReaderStopped = isStopped;
    if (this.#problem === undefined) this.#showCounts();
  }

  /** An event came with other parameters than before. This stays, since the next event would hide it. */
  contradicted(): void {
    this.#isContradicted = true;
  }

  /** Whether another copy has another rule. */
  differs(isDifferent: boolean): void {
    if (isDifferent === this.#isDifferent) return;
    this.#isDifferent = isDifferent;
    if (this.#problem === undefined) this.#showCounts();
  }

  /** What the rule could not remember. This stays, too. */
  limited(limits: AlertLimits): void {
    this.#limits = limits;
  }

  left({ own, separate }: Leaving, msg: CrecMessage): void {
    this.#problem = undefined;
    if (isTest(msg)) {
      this.#show("done", statusText(this.#t, "alert.status.test"));
      return;
    }
    // Several copies share the cursor of the event, and count alone.
    this.#isPerCopy ||= !this.#isShared && typeof msg.crec?.epoch === "number";
    if (own.output === "alert" && !own.isRepeated) {
      this.#alerts += 1;
      this.#quiet = 0;
    } else if (own.why === "quiet") this.#quiet += 1;
    this.told(separate);
    const [reason] = own.reasons ?? [];
    if (own.why === "undecided")
      this.#show("waiting", statusText(this.#t, "alert.status.undecided", { reason: reason ?? "" }));
    else this.#showCounts();
  }

  told(separate: readonly Separate[]): void {
    this.#alerts += separate.filter(({ output }) => output === "alert").length;
    if (separate.length > 0) this.#showCounts();
  }

  close(): void {
    clearTimeout(this.#next);
  }

  #showCounts(): void {
    if (this.#next !== undefined) return;
    const waitMs = this.#countedAt + COUNTS_MS - performance.now();
    if (waitMs > 0) this.#next = setTimeout(() => this.#showCountsNow(), waitMs);
    else this.#showCountsNow();
  }

  #showCountsNow(): void {
    this.#countedAt = performance.now();
    const count = this.#alerts;
    const { notCounted, forgotten, forgottenEvents } = this.#limits;
    if (notCounted > 0) this.#show("error", statusText(this.#t, "alert.status.limit", { count, notCounted }));
    else if (forgotten > 0)
      this.#show("error", statusText(this.#t, "alert.status.forgotten", { count, forgotten }));
    else if (forgottenEvents > 0) {
      this.#show("error", statusText(this.#t, "alert.status.forgotten-events", { count, forgottenEvents }));
    } else if (this.#isReaderStopped) {
      this.#show("waiting", statusText(this.#t, "common.status.reader-stopped"));
    } else if (this.#waitsFor !== undefined) {
      const key = `alert.status.unread${this.#waitsFor === "" ? "" : "-by"}`;
      this.#show("waiting", statusText(this.#t, key, { reader: this.#waitsFor }));
    } else if (this.#isContradicted) {
      this.#show("waiting", statusText(this.#t, "alert.status.contradiction", { count }));
    } else if (this.#isDifferent) {
      this.#show("waiting", statusText(this.#t, "alert.status.different", { count }));
    } else if (this.#isPerCopy)
      this.#show("waiting", statusText(this.#t, "alert.status.per-copy", { count }));
    else if (this.#quiet > 0) {
      this.#show("waiting", statusText(this.#t, "alert.status.quiet", { count, quiet: this.#quiet }));
    } else if (count > 0) this.#show("done", statusText(this.#t, "alert.status.alerts", { count }));
    else this.#show("done", statusText(this.#t, "alert.status.watching"));
  }

  #show(kind: StatusKind, said: StatusText): void {
    clearTimeout(this.#next);
    this.#next = undefined;
    const shown = `${kind} ${said.text}`;
    if (shown === this.#shown) return;
    this.#shown = shown;
    showStatus(this.#node, kind, said);
  }
}

/** Keys come from messages, so their number is limited. */
const MOST_KEYS = 1_000;

/** Lists in Issues what makes a sum in tokens wrong, or smaller than it is. */
export class SumProblems {
  readonly #node: Node;
  readonly #isOfTokens: boolean;
  /** The contract whose amounts a key adds up. */
  readonly #contracts = new Map<string, string>();

  constructor(node: Node, when: AlertSettings["when"]) {
    this.#node = node;
    this.#isOfTokens = when.kind === "sum" && when.unit === "token";
  }

  note(
    { payload }: CrecMessage,
    { key, matches, amount }: AlertInput,
    passed: PassedReason | undefined,
  ): void {
    if (!this.#isOfTokens || !matches) return;
    if (passed === "undecided") {
      if (amount !== undefined) noteAlertSum(this.#node, "no-decimals");
      return;
    }
    const contract = contractKey(payload);
    if (contract === undefined) return;
    const known = this.#contracts.get(key);
    if (known !== undefined && known !== contract) noteAlertSum(this.#node, "contracts");
    if (known === undefined && this.#contracts.size < MOST_KEYS) this.#contracts.set(key, contract);
  }

  close(): void {
    forgetAlertSum(this.#node);
  }
}

/** Lists in Issues that a node adds up amounts whose unit is not known, or those of several contracts. */
function noteAlertSum(node: Node, problem: AlertSumReport["problem"]): void {
  const known = activity.alertSums.get(node.id);
  if (known?.problem === "no-decimals" || known?.problem === problem) return;
  activity.note({ kind: "alertSum", alertSum: { ...originOf(node), problem, instance: node.id } });
}

/** The node is closed. */
function forgetAlertSum(node: Node): void {
  activity.alertSums.delete(node.id);
}
