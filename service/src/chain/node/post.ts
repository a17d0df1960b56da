import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { HttpRequestError, ResponseBodyTooLargeError, TimeoutError } from "viem";

export type Posted = {
  status: number;
  /** The parsed answer; undefined when it is not JSON. */
  body: unknown;
  text: string;
  /** How long the node asks to wait. */
  retryAfterMs: number | undefined;
};

/** Characters of a non-JSON answer in an error. */
const MOST_TOLD = 200;
/** Some providers refuse requests without the first two. */
const HEADERS = {
  accept: "*/*",
  "user-agent": "node",
  "accept-encoding": "gzip",
  "content-type": "application/json",
};
/** Redirects that keep method and body. Any other is an answer without JSON. */
const REDIRECTS: ReadonlySet<unknown> = new Set([307, 308]);
const MOST_REDIRECTS = 20;

/**
 * Posts JSON and reads the whole answer, whatever its status.
 *
 * @throws TimeoutError when the last byte is not there in time.
 * @throws ResponseBodyTooLargeError when there are more than `mostBytes`.
 * @throws HttpRequestError when there is no answer.
 * @throws the reason of `ended` when that comes first.
 */
export async function post(
  url: string,
  json: unknown,
  { timeoutMs, mostBytes, ended }: { timeoutMs: number; mostBytes: number; ended: AbortSignal },
): Promise<Posted> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const { address, headers } = withoutCredentials(url);
  try {
    const signal = AbortSignal.any([timeout, ended]);
    const answer = await send(new URL(address), { headers, body: JSON.stringify(json), signal });
    const text = await read(answer, mostBytes);
    return { status: answer.statusCode ?? 0, text, body: parsed(text), retryAfterMs: retryAfter(answer) };
  } catch (error) {
    ended.throwIfAborted();
    if (timeout.aborted) throw new TimeoutError({ body: {}, url });
    if (error instanceof ResponseBodyTooLargeError) throw error;
    throw new HttpRequestError({ url, cause: error as Error });
  }
}

/** An unusable answer, with its status and its beginning. */
export function notAnswered(url: string, { status, text }: Posted): HttpRequestError {
  const says = text.trim().slice(0, MOST_TOLD);
  return new HttpRequestError({
    url,
    status,
    details: `no JSON-RPC answer, but status ${status} ${says}`.trim(),
  });
}

type Sent = { headers: Record<string, string>; body: string; signal: AbortSignal };

/** The beginning of the answer. Not with `fetch`, which takes twice the processor time: a local chain is asked often. */
async function send(address: URL, sent: Sent, redirects = 0): Promise<IncomingMessage> {
  const request = address.protocol === "https:" ? requestHttps : requestHttp;
  const { headers, body, signal } = sent;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(address, { method: "POST", headers: { ...HEADERS, ...headers }, signal }, resolve)
      .on("error", reject)
      .end(body);
  });
  const { location } = answer.headers;
  if (!REDIRECTS.has(answer.statusCode) || location === undefined) return answer;
  answer.destroy();
  if (redirects >= MOST_REDIRECTS) throw new Error("The node redirects too often.");
  const next = new URL(location, address);
  // Credentials are for this server only.
  return send(next, next.origin === address.origin ? sent : { ...sent, headers: {} }, redirects + 1);
}

async function read(answer: IncomingMessage, mostBytes: number): Promise<string> {
  const isPacked = answer.headers["content-encoding"] === "gzip";
  // An error in one of the two ends both, and is thrown where the content is read.
  const content: Readable = isPacked ? pipeline(answer, createGunzip(), () => undefined) : answer;
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of content as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > mostBytes) throw new ResponseBodyTooLargeError({ maxSize: mostBytes, size });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Seconds, or a date. */
function retryAfter({ headers }: IncomingMessage): number | undefined {
  const text = headers["retry-after"] ?? "";
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return seconds >= 0 ? seconds * 1000 : undefined;
}

/** The user name and password as a header: what a redirect leads to may not get them. */
function withoutCredentials(url: string): { address: string; headers: Record<string, string> } {
  const address = new URL(url);
  const { username, password } = address;
  if (username === "" && password === "") return { address: url, headers: {} };
  address.username = "";
  address.password = "";
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    address: address.href,
    headers: { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` },
  };
}
