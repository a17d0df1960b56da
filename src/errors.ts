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
  }
}

/** For parts of this library that do not know the class. */
export function crecError(code: string, message: string): CrecError {
  return new CrecError(code, message);
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
