import { CrecError } from "../errors.ts";
import type { Hop } from "./hops.ts";

/** What is known about the answer, if there was one. */
export type HttpErrorDetails = {
  status?: number | undefined;
  /** `type` of the service's error body. */
  type?: string | undefined;
  requestId?: string | undefined;
  /** How long the service asked to wait, in milliseconds. */
  retryAfterMs?: number | undefined;
  retryable?: boolean;
  cause?: unknown;
  /** Where a call without an answer failed. */
  hop?: Hop | undefined;
  /** What failed there: the host and port of the proxy, or of the service. */
  host?: string | undefined;
};

/** A call that did not return a usable answer. */
export class HttpError extends CrecError {
  override readonly name: string = "HttpError";
  declare readonly status?: number;
  declare readonly type?: string;
  declare readonly requestId?: string;
  declare readonly retryAfterMs?: number;
  /**
   * Where a call without an answer failed, on the way to the service: `proxy`, the connection to it; `tunnel`, what the
   * proxy opens; `service`, all behind that. With `proxy` and `tunnel`, nothing of the call has reached the service.
   */
  declare readonly hop?: Hop;
  /** What failed there: the host and port of the proxy, or of the service. */
  declare readonly host?: string;

  constructor(code: string, message: string, details: HttpErrorDetails = {}) {
    const { cause, retryable = false, ...known } = details;
    super(code, message, { cause, retryable });
    Object.assign(this, Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)));
  }
}

/** 401 and 403: `KEY_REFUSED`, `ORGANIZATION_NOT_FOUND`, `FORBIDDEN`. */
export class AuthenticationError extends HttpError {
  override readonly name = "AuthenticationError";
}

/** 404: the service's code, such as `CHANNEL_NOT_FOUND`, else `NOT_FOUND`. */
export class NotFoundError extends HttpError {
  override readonly name = "NotFoundError";
}

/** 409: the service's code, such as `CHANNEL_ALREADY_EXISTS`, else `CONFLICT`. */
export class ConflictError extends HttpError {
  override readonly name = "ConflictError";
}

/** Any other 4xx: the service's code, else its type, such as `VALIDATION_ERROR`. */
export class ValidationError extends HttpError {
  override readonly name = "ValidationError";
}

/** 429: `RATE_LIMITED`. */
export class RateLimitError extends HttpError {
  override readonly name = "RateLimitError";
}

/** `BUDGET_EXHAUSTED`: the call's time was over before its turn under the limit of requests a minute came. */
export class BudgetError extends HttpError {
  override readonly name = "BudgetError";
}

/** 5xx: `SERVICE_ERROR`. */
export class ServiceError extends HttpError {
  override readonly name = "ServiceError";
}

/** No answer, or only a part of one: `SERVICE_UNREACHABLE`, `TLS_ERROR`. */
export class NetworkError extends HttpError {
  override readonly name = "NetworkError";
}

/** `TIMEOUT`: the deadline of an attempt or of the whole call has passed. */
export class TimeoutError extends HttpError {
  override readonly name = "TimeoutError";
}

/**
 * `BAD_RESPONSE`: an answer that is not from the service, or that cannot be read. `RESPONSE_TOO_LARGE`: one that is
 * larger than allowed.
 */
export class BadResponseError extends HttpError {
  override readonly name = "BadResponseError";
}

/** `ABORTED`: the caller's signal has fired. Its reason is the `cause`. */
export class AbortedError extends HttpError {
  override readonly name = "AbortedError";

  constructor(
    code = "ABORTED",
    message = "The call was aborted by its caller.",
    details: HttpErrorDetails = {},
  ) {
    super(code, message, details);
  }
}

/** `CLIENT_CLOSED`: the client was closed before or during the call. */
export class ClientClosedError extends HttpError {
  override readonly name = "ClientClosedError";

  constructor(
    code = "CLIENT_CLOSED",
    message = "The client was closed before the call was finished. Create a new client.",
    details: HttpErrorDetails = {},
  ) {
    super(code, message, details);
  }
}
