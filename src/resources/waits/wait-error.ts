import { CrecError } from "../../errors.ts";

/** After these errors the same wait can be started again. */
const REPEATABLE = ["WAIT_TIMEOUT", "OPERATION_UNPROVEN"];

type WaitErrorDetails = {
  id: string;
  target: string;
  lastStatus?: string | undefined;
  reason?: string | undefined;
  resource?: unknown;
  cause?: unknown;
};

/** A wait that did not reach its target: `WAIT_TIMEOUT`, or `WATCHER_FAILED`, `OPERATION_EXPIRED` and the like. */
export class WaitError extends CrecError {
  override readonly name = "WaitError";
  /** The id of the resource. */
  readonly id: string;
  /** The status that was waited for. */
  readonly target: string;
  /** The last status seen; absent when none was. */
  declare readonly lastStatus?: string;
  /** Why the resource ended in this status, where the service gives a reason. */
  declare readonly reason?: string;
  /** The resource as last seen. */
  declare readonly resource?: unknown;

  /** `cause` is the error in which the last request ended. */
  constructor(code: string, message: string, details: WaitErrorDetails) {
    super(code, message, { retryable: REPEATABLE.includes(code), cause: details.cause });
    this.id = details.id;
    this.target = details.target;
    if (details.lastStatus !== undefined) this.lastStatus = details.lastStatus;
    if (details.reason !== undefined) this.reason = details.reason;
    if (details.resource !== undefined) this.resource = details.resource;
  }
}

/** The error of a resource in a status that does not lead to the target: `OPERATION_FAILED`, the reason first. */
export function unreachable(noun: string, details: WaitErrorDetails & { lastStatus: string }): WaitError {
  const { id, lastStatus: status, target, reason } = details;
  const why = reason
    ? `${status}: ${ended(reason)} The ${noun} will not become ${target}.`
    : `The ${noun} is ${status} and will not become ${target}.`;
  const message = `${why} ${idWords(noun, id)}`;
  return new WaitError(`${noun}_${status}`.toUpperCase(), message, details);
}

/** The end of a sentence: `Operation 0193….` */
export function idWords(noun: string, id: string): string {
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${id}.`;
}

function ended(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
