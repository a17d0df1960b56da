/** Why the service cannot start or go on: one sentence that says what to do. Shown without a stack. */
export class ServiceProblem extends Error {
  override readonly name = "ServiceProblem";
}

/**
 * What anything thrown says, in one line, for logs and for people. Of addresses in it only the origin is left:
 * the path of a node's address often holds the key to it.
 */
export function messageOf(error: unknown): string {
  // viem keeps what the node said in `details`, and tells a page about the request in `message`.
  const { details } = Object(error) as { details?: unknown };
  const message = error instanceof Error ? error.message : String(error);
  const text = typeof details === "string" && details !== "" ? details : message;
  return (text.split("\n", 1)[0] ?? "").replaceAll(/\bhttps?:\/\/[^\s"'<>)]+/gi, originOf);
}

/** Scheme, host and port of an address: what of it may be shown. */
export function originOf(url: string): string {
  return URL.parse(url)?.origin ?? "(an address that cannot be read)";
}
