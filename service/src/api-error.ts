import type { ErrorBody, ErrorCode, ErrorType } from "../../src/protocol/index.ts";

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

/** An archived resource is hidden and keeps its name: the message says so. */
export function nameTaken(
  what: "channel" | "wallet" | "watcher",
  holder: { name: string; status: string },
  code: ErrorCode,
): ApiError {
  const hidden =
    holder.status === "archived"
      ? " It is archived: hidden from lists, but its name stays taken. Choose another name."
      : "";
  return conflict(`There is a ${what} named ${JSON.stringify(holder.name)} already.${hidden}`, code);
}
