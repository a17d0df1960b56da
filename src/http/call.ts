import type { Answer } from "./answer.ts";
import type { Lane } from "./call-queue.ts";
import type { QueryParameters } from "./settings.ts";

/** What every method of the client takes last. */
export type CallOptions = {
  /** Aborts the call immediately, with its reason as the error's `cause`. @default none */
  signal?: AbortSignal | undefined;
  /**
   * How long the call with its retries may take, in milliseconds. A method that makes several calls, such as `send`,
   * `createOrFind` or an iteration, allows this time for each: to limit them together, pass an `AbortSignal.timeout`.
   * @default the client's `timeoutMs`
   */
  timeoutMs?: number | undefined;
};

export type Call = CallOptions & {
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Begins with `/` and is added to the base URL; empty for the base URL itself. */
  path: string;
  query?: QueryParameters | undefined;
  /** Sent as JSON. */
  body?: unknown | undefined;
  /** In addition to those of the transport; `authorization` cannot be replaced. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Sends no key. @default false */
  anonymous?: boolean | undefined;
  /** Whether the call may be retried because a second one has no further effect. A GET always may. @default false */
  idempotent?: boolean | undefined;
  /**
   * For the poll of a channel that may wait for its turn: takes turns with other channels, after all other calls. Its
   * time begins with its turn. @default none
   */
  lane?: Lane | undefined;
  /** Called when the turn comes, with how long it was waited for, in milliseconds. @default none */
  onTurn?: ((waitedMs: number) => void) | undefined;
  /** Returns the result of an answer, or throws. @default `readAnswer`: the JSON of a 2xx */
  read?: ((answer: Answer) => unknown) | undefined;
};
