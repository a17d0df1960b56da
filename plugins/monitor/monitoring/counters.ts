import { setNewest } from "../../../nodes/common/shared/collections.ts";
import type {
  ActivityEvent,
  CallReport,
  EventReport,
  OperationReport,
} from "../../../nodes/common/telemetry/types.ts";
import { OPERATION_PROGRESS } from "../../../src/protocol/index.ts";
import type { Bounds } from "./bounds.ts";
import { Counter, type Family, Histogram } from "./exposition.ts";

/** What a check can find. */
const PROOFS: ReadonlyArray<EventReport["proof"]> = ["verified", "rejected", "unsigned"];
const OUTCOMES: ReadonlyArray<OperationReport["outcome"]> = ["reached", "failed", "interrupted", "draft"];
const LEVELS: readonly string[] = OPERATION_PROGRESS;
/** More than are under way at once. The oldest is forgotten. */
const MOST_OPERATIONS = 5_000;

/** Upper bounds in seconds. A call ends after its deadline, and is usually answered within a second. */
const CALL_BUCKETS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const PROOF_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1];
/** From the next block of a fast chain to a block that is final on a slow one. */
const LEVEL_BUCKETS = [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 900, 1_200, 1_800, 3_600, 10_800];

/** Counters and histograms of what happens. */
export class Counters {
  readonly #bounds: Bounds;
  readonly #delivered = new Counter({
    name: "crec_events_delivered",
    help: "Events that events in nodes sent into flows, on any output, by consumer.",
  });
  readonly #checked = new Counter({
    name: "crec_events_checked",
    help: "Checks of the proofs of events, by consumer and result. Empty consumer: not from events in.",
  });
  readonly #rejected = new Counter({
    name: "crec_events_rejected",
    help: "Events that were not sent as events, such as those with a rejected proof, by consumer and reason.",
  });
  readonly #redelivered = new Counter({
    name: "crec_events_redelivered",
    help: "Events that were delivered again, by consumer.",
  });
  readonly #late = new Counter({
    name: "crec_events_late",
    help: "Events that the service stored below the position of the consumer, by consumer.",
  });
  readonly #proofTime = new Histogram(
    { name: "crec_proof_check_duration_seconds", help: "Time that the check of a proof took." },
    PROOF_BUCKETS,
  );
  readonly #calls = new Counter({
    name: "crec_calls",
    help: "Attempts of calls to the service, by endpoint, method and HTTP status. Status none: no answer.",
  });
  readonly #callErrors = new Counter({
    name: "crec_call_errors",
    help: "Attempts of calls that failed, by error code.",
  });
  readonly #callTime = new Histogram(
    { name: "crec_call_duration_seconds", help: "Time of attempts of calls, by endpoint and method." },
    CALL_BUCKETS,
  );
  readonly #operations = new Counter({
    name: "crec_operations",
    help: "Operations that nodes no longer wait for, by outcome.",
  });
  readonly #levelTime = new Histogram(
    {
      name: "crec_operation_level_seconds",
      help: "Time from the start of an operation until a node saw it reach a level.",
    },
    LEVEL_BUCKETS,
  );

  /** The highest level of each operation, by its key. */
  readonly #reached = new Map<string, number>();

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
    for (const outcome of OUTCOMES) this.#operations.add({ outcome }, 0);
  }

  families(): Family[] {
    return [
      ...[this.#delivered, this.#checked, this.#rejected, this.#redelivered, this.#late, this.#proofTime],
      ...[this.#calls, this.#callErrors, this.#callTime, this.#operations, this.#levelTime],
    ];
  }

  /** Makes the series of a consumer before its first event, so that the first rejected one is an increase. */
  expect(consumer: string): void {
    for (const proof of PROOFS) this.#checked.add({ consumer, proof }, 0);
    this.#delivered.add({ consumer }, 0);
    this.#redelivered.add({ consumer }, 0);
    this.#late.add({ consumer }, 0);
  }

  count(fact: ActivityEvent): void {
    if (fact.kind === "event") this.#countEvent(fact.event, fact.before !== undefined);
    if (fact.kind === "call") this.#countCall(fact.call);
    if (fact.kind === "operation") this.#countOperation(fact.operation, fact.before);
  }

  /** `isKnown`: it was delivered before, and a verify event node has checked it now. */
  #countEvent(event: EventReport, isKnown: boolean): void {
    const { proof, reason, proofMs, isRedelivered, isLate } = event;
    const consumer = this.#bounds.consumer.of(event.consumer);
    if (!isKnown && event.consumer !== "") {
      this.#delivered.add({ consumer });
      if (isRedelivered) this.#redelivered.add({ consumer });
      if (isLate) this.#late.add({ consumer });
    }
    if (proof !== "unchecked") this.#checked.add({ consumer, proof });
    if (reason !== undefined) this.#rejected.add({ consumer, reason: this.#bounds.reason.of(reason) });
    if (proofMs !== undefined) this.#proofTime.observe({}, proofMs / 1_000);
  }

  #countCall({ endpoint: path, method: verb, status, errorCode, durationMs }: CallReport): void {
    const endpoint = this.#bounds.endpoint.of(path);
    const method = this.#bounds.method.of(verb);
    this.#calls.add({ endpoint, method, status: this.#bounds.httpStatus.of(String(status ?? "none")) });
    if (errorCode !== undefined) this.#callErrors.add({ code: this.#bounds.errorCode.of(errorCode) });
    this.#callTime.observe({ endpoint, method }, durationMs / 1_000);
  }

  #countOperation(operation: OperationReport, before: OperationReport | undefined): void {
    const { key, outcome, status, startedAt, changedAt } = operation;
    const level = LEVELS.indexOf(status);
    const isHigher = level > (this.#reached.get(key) ?? -1);
    if (isHigher) setNewest(this.#reached, key, level, MOST_OPERATIONS);
    // A node begins to follow it: the status that it finds may be old.
    if (before === undefined) return;
    if (outcome !== "waiting" && outcome !== before.outcome) this.#operations.add({ outcome });
    // Not again where the same key is sent twice, or a node is told the statuses so far.
    if (isHigher) this.#levelTime.observe({ level: status }, (changedAt - startedAt) / 1_000);
  }
}
