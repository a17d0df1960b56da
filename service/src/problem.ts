import type { StartErrorCode } from "./start/types.ts";

/** Why the service cannot start or continue, and what to do, for people. Shown without a stack. */
export class ServiceProblem extends Error {
  override readonly name = "ServiceProblem";
  readonly code: StartErrorCode;

  constructor(message: string, code: StartErrorCode = "CANNOT_START") {
    super(message);
    this.code = code;
  }
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
