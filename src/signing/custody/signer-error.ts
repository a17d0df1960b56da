import { CrecError } from "../../errors.ts";
import type { Hop } from "../../http/index.ts";

/** Why a key service did not sign. In each case nothing was submitted. */
export type SignerErrorCode =
  /** A person or a policy refused. */
  | "SIGNER_REFUSED"
  /** No signature in time. */
  | "SIGNER_TIMEOUT"
  /** Unreachable, overloaded or failing, or an answer that is no decision: the same request may succeed later. */
  | "SIGNER_UNAVAILABLE"
  /** Wrong, expired or insufficient credentials. */
  | "SIGNER_UNAUTHORIZED"
  /** The key does not exist, is disabled, or is of a kind that no wallet takes. */
  | "SIGNER_KEY_UNSUITABLE"
  /** An answer of another shape than documented. */
  | "SIGNER_BAD_ANSWER";

type SignerErrorDetails = {
  cause?: unknown;
  state?: string | undefined;
  retryAfterMs?: number | undefined;
  /** @default as the code says */
  retryable?: boolean;
  isAsked?: boolean | undefined;
  hop?: Hop | undefined;
};

/** The error of a key service. `message` never contains a secret. */
export class SignerError extends CrecError {
  override readonly name = "SignerError";
  declare readonly code: SignerErrorCode;
  /** The key service's own word for the state or the error, where it gave one. */
  readonly state: string | undefined;
  /** How long the key service asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether the key service may have taken the request: a repeat would ask it, or a person, again. It is not made unasked. */
  readonly isAsked: boolean;
  /** Where a request without an answer failed, on the way to the key service; as in an `HttpError`. */
  readonly hop: Hop | undefined;

  constructor(code: SignerErrorCode, message: string, details: SignerErrorDetails = {}) {
    const {
      cause,
      state,
      retryAfterMs,
      retryable = code === "SIGNER_UNAVAILABLE",
      isAsked = false,
      hop,
    } = details;
    super(code, message, { cause, retryable });
    this.state = state;
    this.retryAfterMs = retryAfterMs;
    this.isAsked = isAsked;
    this.hop = hop;
  }
}
