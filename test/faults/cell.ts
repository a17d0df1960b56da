import { readFileSync } from "node:fs";
import should from "should";
import { CrecClient, CrecError } from "../../src/index.ts";
import type { Certificate } from "../support/certificates.ts";
import type { Fault } from "./faults/index.ts";
import { type Affects, type Arrival, FaultyServer } from "./faulty-server.ts";
import { LONG_WAIT, type Method, SHORT_WAIT } from "./methods.ts";
import type { World } from "./world.ts";

/** What one method does when it meets one fault. */
export type Cell = {
  /** The code of its error; undefined where it succeeds in spite of the fault. */
  code: string | undefined;
  /** How many requests it sent while the fault lasted. */
  requests: number;
  /** Whether one of them was a repetition. */
  retried: boolean;
};

/** Every code that is documented, by the first column of its tables. */
const DOCUMENTED = new Set(
  [
    ...readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8").matchAll(/^\| ([^|]+) \|/gm),
  ].flatMap(([, names = ""]) => [...names.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name)),
);
/** Words with which a sentence says what to do. */
const ADVICE =
  /(?:^|[.:;,] (?:then |or |and )?)(?:ask|check|choose|close|continue|correct|create|enter|give|look|narrow|read|request|reset|search|send|set|try|use|wait)\b/i;

/** Slow faults last for all attempts. */
const SLOW_ATTEMPT_MS = 2_000;
const ATTEMPT_MS = 20_000;
const CALL_MS = 60_000;
/** More than any list of these tests. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

export type Meeting = {
  world: World;
  certificate: Certificate;
  apiKey: string;
  method: Method;
  fault: Fault;
  /** Only requests that change something meet the fault. */
  actsOnly?: boolean;
};

/** Lets a method meet a fault and checks everything that holds for all of them. */
export async function meet({
  world,
  certificate,
  apiKey,
  method,
  fault,
  actsOnly = false,
}: Meeting): Promise<Cell> {
  const isTls = fault.codes.includes("TLS_ERROR");
  const server = await FaultyServer.before(world.ready.base_url, isTls ? { trusted: certificate } : {});
  let attempts = 0;
  const client = new CrecClient({
    ...{ baseUrl: server.baseUrl, graphqlUrl: server.graphqlUrl, apiKey },
    ...{ timeoutMs: CALL_MS, maxResponseBytes: MAX_RESPONSE_BYTES },
    attemptTimeoutMs: fault.isSlow ? SLOW_ATTEMPT_MS : ATTEMPT_MS,
    ...(isTls ? { tls: { ca: certificate.cert } } : {}),
    onRequest: () => {
      attempts += 1;
    },
  });
  try {
    const call = await method.prepare(world);
    const affects: Affects = actsOnly ? (arrival) => isActing(arrival) : () => true;
    await server.strike(fault, affects);
    const error = await call(client, SHORT_WAIT).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const requests = attempts;
    const arrivals = [...server.arrivals];
    await server.heal();
    if (error !== undefined) checkTold(error, apiKey);
    else
      should(actsOnly || method.kind === "account").be.true(
        `It succeeded although every request met "${fault.name}".`,
      );
    checkRepetitions(arrivals);
    should(server.redirected).equal(0, "A redirect was followed.");
    await recovers(() => call(client, LONG_WAIT), [...(method.after ?? [])]);
    return {
      code: (error as CrecError | undefined)?.code,
      requests,
      retried: isRepeated(arrivals, requests),
    };
  } finally {
    await client.close();
    await server.close();
  }
}

/** Typed, documented, with advice, and without the key. */
export function checkTold(error: unknown, apiKey: string): void {
  if (!(error instanceof CrecError)) throw error;
  checkWords(error.code, error.message);
  const all = [
    error.message,
    error.stack,
    JSON.stringify(error),
    JSON.stringify({ ...error }),
    causes(error),
  ].join("\n");
  for (const form of [apiKey, Buffer.from(apiKey).toString("base64"), encodeURIComponent(apiKey)])
    should(all.includes(form)).be.false("The key is in the error.");
}

/** A code that is documented, and a sentence that says what to do. */
export function checkWords(code: string, message: string): void {
  should(DOCUMENTED.has(code)).be.true(`${code} is not in docs/errors.md: ${message}`);
  should(message).match(ADVICE);
}

/** What acts is sent again only with an idempotency key, as the same change, or after a look whether it has acted. */
export function checkRepetitions(arrivals: readonly Arrival[]): void {
  arrivals.forEach((arrival, index) => {
    if (!isActing(arrival) || isRepeatable(arrival)) return;
    const before = arrivals.findLastIndex(
      (other, at) => at < index && isSame(other, arrival) && other.reached,
    );
    if (before < 0) return;
    const hasLooked = arrivals.slice(before + 1, index).some(({ method }) => method === "GET");
    should(hasLooked).be.true(`${arrival.method} ${arrival.path} was repeated blindly.`);
  });
}

export function isActing({ method, path }: Arrival): boolean {
  return method !== "GET" && path !== "/graphql";
}

function isRepeatable({ method, body }: Arrival): boolean {
  if (body.includes('"idempotency_key"')) return true;
  // A change to a given value, but not of a status, which has effects of its own.
  return method === "PATCH" && !body.includes('"status"') && !body.includes('"signature"');
}

function isSame(one: Arrival, other: Arrival): boolean {
  return one.method === other.method && one.path === other.path && one.body === other.body;
}

function isRepeated(arrivals: readonly Arrival[], requests: number): boolean {
  if (arrivals.length === 0) return requests > 1;
  return arrivals.some((arrival, index) => arrivals.slice(0, index).some((other) => isSame(other, arrival)));
}

/** The same client works at once when the fault has ended. */
async function recovers(call: () => Promise<unknown>, after: readonly string[]): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof CrecError && after.includes(error.code))) throw error;
  }
}

function causes(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? `${cause.stack}\n${causes(cause)}` : String(cause);
}
