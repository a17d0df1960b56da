/** The error that a node sends to Catch: a stable upper-snake-case `code` beside the sentence. */
export type CodedError = Error & { code: string };

/** Errors whose text is in the language of Node-RED already. */
const translated = new WeakSet<Error>();

/** Makes an error for something the flow's author can fix: the message, in English, says how. */
export function nodeError(code: string, message: string, cause?: unknown): CodedError {
  return toCodedError(Object.assign(new Error(message, cause === undefined ? {} : { cause }), { code }));
}

/** As `nodeError`, with a text that `RED._` has made. */
export function translatedError(code: string, text: string, cause?: unknown): CodedError {
  const error = nodeError(code, text, cause);
  translated.add(error);
  return error;
}

/** Whether `translatedError` has made it. */
export function isTranslated(error: Error): boolean {
  return translated.has(error);
}

/** Any thrown value as an error with a code. Errors of the library already have one. */
export function toCodedError(thrown: unknown): CodedError {
  if (!(thrown instanceof Error)) return nodeError("INTERNAL_ERROR", messageOf(thrown), thrown);
  if (!Object.isExtensible(thrown)) return toCodedError(nodeError("INTERNAL_ERROR", thrown.message, thrown));
  const { code } = thrown as { code?: unknown };
  if (typeof code !== "string") {
    // Defined, not assigned: that of an aborted signal only has a getter.
    const value = { value: "INTERNAL_ERROR", configurable: true, writable: true, enumerable: true };
    Object.defineProperty(thrown, "code", value);
  }
  const coded = thrown as CodedError;
  // Catch is given the error as text: that is to be the sentence, without the name of a class before it.
  return Object.defineProperty(coded, "toString", { value: () => coded.message, configurable: true });
}

/** The sentence of what was thrown. JSONata throws objects that are no errors. */
export function messageOf(thrown: unknown): string {
  const { message } = (thrown ?? {}) as { message?: unknown };
  return typeof message === "string" ? message : String(thrown);
}

/** Why a file of the package cannot be loaded, with what to do. The library says the same about its parts. */
export function packageDamaged(what: string, cause: unknown): CodedError {
  const [reason] = messageOf(cause).split("\n", 1);
  return nodeError(
    "PACKAGE_DAMAGED",
    `A file of this package is missing or damaged: ${what}. Install @crec-nodes/node-red-crec again, then restart (${reason}).`,
    cause,
  );
}

/** The codes of forms for a failure on the way through a proxy; each has its text in the catalogs of errors. */
export type ProxyFault = "PROXY_UNREACHABLE" | "PROXY_REFUSED" | "PROXY_CERTIFICATE";

/** Whether a call failed at the proxy, by the hop that the library names; undefined where it did not. */
export function proxyFault({ code, hop }: { code?: unknown; hop?: unknown }): ProxyFault | undefined {
  if (hop === "tunnel") return "PROXY_REFUSED";
  if (hop !== "proxy") return undefined;
  return code === "TLS_ERROR" ? "PROXY_CERTIFICATE" : "PROXY_UNREACHABLE";
}
