import type { Hop } from "./hops.ts";

/** One attempt of a call, without its body and without the key in any text. */
export type RequestInfo = {
  method: string;
  /** The whole address, with its query. */
  url: string;
  /** 1 for the first, more for retries. */
  attempt: number;
  /** Without `authorization`. */
  headers: Readonly<Record<string, string>>;
};

export type ResponseInfo = Omit<RequestInfo, "headers"> & {
  /** Until the body was read, or the attempt failed, in milliseconds. */
  durationMs: number;
  /** Set when there was an answer. */
  status?: number;
  requestId?: string;
  /**
   * The code of the error when there was no answer, such as `SERVICE_UNREACHABLE`, and when the answer refuses the key
   * or its rights (401 and 403), such as `KEY_REFUSED`.
   */
  errorCode?: string;
  /** Where an attempt without an answer failed: as in its error. */
  hop?: Hop;
  /** The host and port that failed there. */
  host?: string;
};

/** Called for each attempt, for logs and metrics. Errors that a hook throws are ignored. */
export type Hooks = {
  /** Called before an attempt is sent. @default none */
  onRequest?: ((info: RequestInfo) => void) | undefined;
  /** Called after an attempt. @default none */
  onResponse?: ((info: ResponseInfo) => void) | undefined;
};

/** Calls a hook, and ignores what it throws. */
export function callHook<T>(hook: ((info: T) => unknown) | undefined, info: T): void {
  try {
    const result = hook?.(info);
    // Nothing awaits a hook, so nothing else catches what an asynchronous one throws.
    if (result instanceof Promise) result.catch(() => {});
  } catch {
    // A failing logger must not stop a call.
  }
}
