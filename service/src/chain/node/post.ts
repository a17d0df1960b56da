import { HttpRequestError, ResponseBodyTooLargeError, TimeoutError } from "viem";
export type Posted = {
  status: number;
  /** What was answered, parsed; undefined when it is not JSON. */
  body: unknown;
  text: string;
  /** How long the node asks us to wait. */
  retryAfterMs: number | undefined;
};

/** Of an answer that is not JSON, so much is told. */
const MOST_TOLD = 200;

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
    const response = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(json),
      signal: AbortSignal.any([timeout, ended]),
    });
    const text = await read(response, mostBytes);
    return { status: response.status, text, body: parsed(text), retryAfterMs: retryAfter(response) };
  } catch (error) {
    ended.throwIfAborted();
    if (timeout.aborted) throw new TimeoutError({ body: {}, url });
    if (error instanceof ResponseBodyTooLargeError) throw error;
    // fetch says no more than that it failed; its cause says why, and viem takes over what that says.
    const { cause = error } = Object(error) as { cause?: unknown };
    throw new HttpRequestError({ url, cause: cause as Error });
  }
}

/** An answer that is of no use, with its status and the beginning of what it says. */
export function notAnswered(url: string, { status, text }: Posted): HttpRequestError {
  const says = text.trim().slice(0, MOST_TOLD);
  return new HttpRequestError({
    url,
    status,
    details: `no JSON-RPC answer, but status ${status} ${says}`.trim(),
  });
}

async function read(response: Response, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop ends the connection.
  for await (const chunk of response.body ?? []) {
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
function retryAfter({ headers }: Response): number | undefined {
  const text = headers.get("retry-after") ?? "";
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return seconds >= 0 ? seconds * 1000 : undefined;
}

/** fetch takes no addresses with a name and a password. */
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
