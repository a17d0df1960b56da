import type { Hooks } from "./hooks.ts";
import type { ProxySettings } from "./proxy.ts";
import type { HttpDispatcher, TlsSettings } from "./socket-pool.ts";

export type TransportOptions = Hooks & {
  /** `http` or `https`, without credentials, query or fragment. */
  baseUrl: string;
  apiKey: string;
  /** How long a whole call with its retries may take, in milliseconds. @default 30_000 */
  timeoutMs?: number | undefined;
  /**
   * How long one attempt may take until its body is read, in milliseconds.
   * @default the larger of 10_000 and a third of `timeoutMs`
   */
  attemptTimeoutMs?: number | undefined;
  /** Attempts of a call that may be repeated. @default 4 */
  maxAttempts?: number | undefined;
  /** Calls on the wire at the same time; the others queue. @default 16 */
  maxConcurrency?: number | undefined;
  /**
   * Requests a minute, retries included. Calls that change something come first, then other calls, then the polls of
   * event consumers, which take turns by channel; reads and polls get at least one of eight requests each. A call whose
   * turn does not come in its time fails with `BUDGET_EXHAUSTED`; polls wait.
   * @default no limit, but as the service's `RateLimit` headers say
   */
  requestsPerMinute?: number | undefined;
  /**
   * Called before each attempt of a call waits for its turn. What it throws ends the call, and nothing is sent; with
   * `"last"` the attempt takes turns with the polls of event consumers.
   * @default none
   */
  admit?: (() => "last" | undefined) | undefined;
  /** Largest body that is read, in bytes, before and after decompression. @default 33_554_432 (32 MiB) */
  maxResponseBytes?: number | undefined;
  /** TLS settings for the service, not for a proxy. @default those of Node.js */
  tls?: TlsSettings | undefined;
  /**
   * A proxy, or its URL; or `"environment"` for what `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` say.
   * It is chosen for each address.
   * @default none
   */
  proxy?: string | ProxySettings | undefined;
  /** Sends the requests, such as an undici Agent or MockAgent. `close` does not close it. @default a pool of its own */
  dispatcher?: HttpDispatcher | undefined;
};
