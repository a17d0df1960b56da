import type { ErrorBody, ErrorCode, ErrorType } from "../../src/protocol/index.ts";
import type { StartErrorCode } from "./start/types.ts";

/** An answer that is not 2xx. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly body: ErrorBody;

  constructor(
    status: number,
    body: { type: ErrorType | "UNAUTHORIZED" | "FORBIDDEN"; code?: ErrorCode; message: string },
  ) {
    super(body.message);
    this.status = status;
    this.body = body;
  }
}

/** Why the service cannot start or continue, and what to do, for people. Shown without a stack. */
export class ServiceProblem extends Error {
  override readonly name = "ServiceProblem";
  readonly code: StartErrorCode;

  constructor(message: string, code: StartErrorCode = "CANNOT_START") {
    super(message);
    this.code = code;
  }
}

export function invalid(message: string): ApiError {
  return new ApiError(400, { type: "VALIDATION_ERROR", message });
}

export function forbidden(message: string): ApiError {
  return new ApiError(403, { type: "FORBIDDEN", message });
}

export function notFound(code: ErrorCode, what: string, id: string): ApiError {
  return new ApiError(404, { type: "NOT_FOUND", code, message: `There is no ${what} ${id}.` });
}

export function conflict(message: string, code?: ErrorCode): ApiError {
  return new ApiError(
    409,
    code === undefined ? { type: "CONFLICT", message } : { type: "CONFLICT", code, message },
  );
}

/**
 * An archived resource is hidden and keeps its name: the message says so.
 *
 * @throws ApiError 409 when a resource has the name already.
 */
export function refuseTakenName<What extends "channel" | "wallet" | "watcher">(
  what: What,
  holder: { name: string; status: string } | undefined,
): void {
  if (holder === undefined) return;
  const hidden =
    holder.status === "archived"
      ? " It is archived: hidden from lists, but its name stays taken. Choose another name."
      : "";
  const message = `There is a ${what} named ${JSON.stringify(holder.name)} already.${hidden}`;
  throw conflict(message, `${what.toUpperCase() as Uppercase<What>}_ALREADY_EXISTS`);
}

/**
 * The message of anything thrown, in one line, for logs and for people. URLs in it are cut to their origin: the path of
 * a node's URL often holds the key to it.
 */
export function messageOf(error: unknown): string {
  // viem keeps the node's message in `details`, and describes the request at length in `message`.
  const { details } = Object(error) as { details?: unknown };
  const message = error instanceof Error ? error.message : String(error);
  const text = typeof details === "string" && details !== "" ? details : message;
  return (text.split("\n", 1)[0] ?? "").replaceAll(/\bhttps?:\/\/[^\s"'<>)]+/gi, originOf);
}

/** Scheme, host and port of a URL: the part that may be shown. */
export function originOf(url: string): string {
  return URL.parse(url)?.origin ?? "(an invalid address)";
}
