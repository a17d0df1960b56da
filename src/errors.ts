/** The same in every copy of this library in a process. */
const MARK = /* @__PURE__ */ Symbol.for("@crec-nodes/CrecError");

/** The fields in the JSON of an error: short, and never secret. Others hold whole resources, or what a program put there. */
const IN_JSON = [
  ...["name", "code", "message", "retryable", "path", "status", "type", "requestId", "retryAfterMs"],
  ...["id", "target", "lastStatus", "reason", "offset", "state", "isAsked", "epoch"],
];
/** Words, as the codes of Node.js are. A key has digits. */
const CODE = /^[A-Z]+(?:_[A-Z]+)*$/;

/**
 * The root of every error this library throws on purpose.
 * `code` is stable and upper snake case; `message` is a sentence that says what to do next.
 * Neither ever contains a key or a whole response body.
 * @example
 * try {
 *   await client.channels.get("0f8fad5b-d9cb-469f-a165-70867728950e");
 * } catch (error) {
 *   if (!(error instanceof CrecError && error.code === "CHANNEL_NOT_FOUND")) throw error;
 * }
 */
export class CrecError extends Error {
  override readonly name: string = "CrecError";
  readonly code: string;
  /** Whether the same call may succeed later without any change. */
  readonly retryable: boolean;

  constructor(code: string, message: string, options: { cause?: unknown; retryable?: boolean } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    Object.defineProperty(this, MARK, { value: true });
  }

  /**
   * What `JSON.stringify` writes: the sentence, the code and the other short fields, without stack. Of the cause only its
   * code, and its sentence where it is an error of this library: those of others may quote secrets.
   */
  toJSON(): Record<string, unknown> {
    const fields = this as unknown as Record<string, unknown>;
    const isShort = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);
    const shown = IN_JSON.filter((name) => isShort(fields[name])).map((name) => [name, fields[name]]);
    const cause = jsonOfCause(this.cause);
    return { ...Object.fromEntries(shown), ...(cause && { cause }) };
  }
}

function jsonOfCause(cause: unknown): { code: string; message?: string } | undefined {
  try {
    const { code, message } = Object(cause) as { code?: unknown; message?: unknown };
    if (typeof code !== "string") return undefined;
    if (isCrecError(cause)) return { code, message: String(message) };
    return CODE.test(code) ? { code } : undefined;
  } catch {
    // The reason of a signal can be anything, even what cannot be read.
    return undefined;
  }
}

/**
 * Whether a value is an error of this library, also of another copy of it in this process, for which `instanceof` says
 * no: of the package as CommonJS and as ES modules, or of two versions.
 * @example
 * const error = await client.channels.get("0f8fad5b-d9cb-469f-a165-70867728950e").catch((reason: unknown) => reason);
 * isCrecError(error) ? error.code : ""; // → "CHANNEL_NOT_FOUND"
 */
export function isCrecError(value: unknown): value is CrecError {
  try {
    return typeof value === "object" && value !== null && (value as { [MARK]?: unknown })[MARK] === true;
  } catch {
    // What was thrown can be anything, even what cannot be read.
    return false;
  }
}

/** For parts of this library that do not know the class. */
export function crecError(code: string, message: string): CrecError {
  return new CrecError(code, message);
}

/** Anything that was thrown while events were read, as an error of this library. */
export function asCrecError(thrown: unknown): CrecError {
  if (thrown instanceof CrecError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new CrecError("CONSUMER_FAILED", `Reading events failed: ${message}. It is tried again.`, {
    cause: thrown,
    retryable: true,
  });
}

/** An argument was refused before anything was sent. `path` names the value, such as `args.amounts[2]`. */
export class ArgumentError extends CrecError {
  override readonly name = "ArgumentError";
  readonly path: string;

  constructor(path: string, message: string, options: { code?: string; cause?: unknown } = {}) {
    super(options.code ?? "INVALID_ARGUMENT", message, options);
    this.path = path;
  }
}

/**
 * @internal The error where a failure already says what is wrong with a file: one of ours, or one of file operations that
 * know why this process may not use it. Undefined for all others.
 */
export function fileError(cause: unknown): CrecError | undefined {
  if (cause instanceof CrecError) return cause;
  const code = "STATE_NOT_PERMITTED";
  if (!(cause instanceof Error && "code" in cause && cause.code === code)) return undefined;
  return new CrecError(code, cause.message, { cause, retryable: true });
}
