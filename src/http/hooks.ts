/** What a hook is told of one attempt of a call. No key, no body, and no text in which the key stands. */
export type RequestInfo = {
  method: string;
  /** Whole address, with its query. */
  url: string;
  /** 1 for the first, more for repeats. */
  attempt: number;
  /** Without `authorization`. */
  headers: Readonly<Record<string, string>>;
};

export type ResponseInfo = Omit<RequestInfo, "headers"> & {
  /** Until the body was read, or the attempt had failed. Milliseconds. */
  durationMs: number;
  /** With an answer. */
  status?: number;
  requestId?: string;
  /** Without an answer: the code of the error, as `SERVICE_UNREACHABLE`. */
  errorCode?: string;
};

/** Told of each attempt, for logs and measurements. What a hook throws is nobody's error. */
export type Hooks = {
  onRequest?: ((info: RequestInfo) => void) | undefined;
  onResponse?: ((info: ResponseInfo) => void) | undefined;
};

export function tell<T>(hook: ((info: T) => unknown) | undefined, info: T): void {
  try {
    const told = hook?.(info);
    // Nobody waits for a hook, so nobody else would catch what an asynchronous one throws.
    if (told instanceof Promise) told.catch(() => {});
  } catch {
    // A logger that is full must not stop an operation.
  }
}
