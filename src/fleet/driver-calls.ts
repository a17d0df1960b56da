import type { CrecError } from "../errors.ts";
import type { Driver, DriverClient } from "./driver.ts";
import { closed, newerSchema, refused, unreachable } from "./errors.ts";

/**
 * Calls an engine, with a limit to how long that takes. The client is opened by the first call, and again by the first
 * call after it was of no use. Nothing waits for a connection longer than its call does: a call that has rejected is
 * not sent later.
 */
export class DriverCalls {
  readonly #driver: Driver;
  readonly #timeoutMs: number;
  readonly #running = new Set<Promise<unknown>>();
  #client: DriverClient | undefined;
  #isClosed = false;

  constructor(driver: Driver, timeoutMs: number) {
    this.#driver = driver;
    this.#timeoutMs = timeoutMs;
  }

  /** @throws {CrecError} with the codes of src/fleet/errors.ts */
  async call<T>(statement: (client: DriverClient) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw closed(this.#driver.label);
    const answer = this.#call(statement);
    this.#running.add(answer);
    try {
      return await answer;
    } finally {
      this.#running.delete(answer);
    }
  }

  /** Waits for the answers to what was called before. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    const late = AbortSignal.timeout(this.#timeoutMs);
    // What is lost with the connection was answered.
    await Promise.race([client.close(), lateness(late)]).catch(() => client.destroy());
  }

  async #call<T>(statement: (client: DriverClient) => Promise<T>): Promise<T> {
    if (this.#client?.isOpen !== true) this.#client = this.#driver.open();
    const client = this.#client;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.#timeoutMs);
    try {
      return await Promise.race([sent(client, statement, late.signal), lateness(late.signal)]);
    } catch (error) {
      throw this.#explain(client, error, late.signal.aborted);
    } finally {
      clearTimeout(timer);
    }
  }

  #explain(client: DriverClient, error: unknown, isLate: boolean): CrecError {
    const { label } = this.#driver;
    if (isLate) {
      this.#drop(client);
      return unreachable(label, `none came within ${this.#timeoutMs / 1_000} s`);
    }
    const { kind, reason } = this.#driver.problemOf(error);
    if (kind !== "busy") this.#drop(client);
    if (kind === "refused") return refused(label, reason);
    if (kind === "newer") return newerSchema(label, reason);
    return unreachable(label, reason);
  }

  #drop(client: DriverClient): void {
    if (this.#client === client) this.#client = undefined;
    client.destroy();
  }
}

async function sent<T>(
  client: DriverClient,
  statement: (client: DriverClient) => Promise<T>,
  late: AbortSignal,
): Promise<T> {
  await client.ready;
  late.throwIfAborted();
  return statement(client);
}

function lateness(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
