import { type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";

/** A block by its number and hash. */
export type Head = { number: number; hash: string };

/**
 * Anvil's newest block, or the one with this number.
 *
 * @throws Error when there is none, or no answer in time.
 */
export async function head(rpcUrl: string, timeoutMs: number, number?: number): Promise<Head> {
  const at = number === undefined ? "latest" : `0x${number.toString(16)}`;
  const signal = AbortSignal.timeout(timeoutMs);
  const answer = await ask(rpcUrl, "eth_getBlockByNumber", [at, false], signal);
  const { result } = (await json(answer)) as { result?: { number: string; hash: string } | null };
  if (!result) throw new Error(`the chain has no block ${at}`);
  return { number: Number(result.number), hash: result.hash };
}

const RESULT = '"result":"0x';

/**
 * The state of anvil, gzipped JSON. The answer is one hex text that may be longer than a JavaScript string can be.
 *
 * @throws Error when anvil refuses, or goes away meanwhile, or when `signal` says so.
 */
export async function dumpState(rpcUrl: string, signal: AbortSignal): Promise<Buffer> {
  const answer = await ask(rpcUrl, "anvil_dumpState", [], signal);
  const pieces: Buffer[] = [];
  let text = "";
  let within = false;
  for await (const chunk of answer.setEncoding("latin1")) {
    text += chunk;
    if (!within) {
      const start = text.indexOf(RESULT);
      if (start < 0) continue;
      text = text.slice(start + RESULT.length);
      within = true;
    }
    const end = text.indexOf('"');
    const digits = end < 0 ? text.length - (text.length % 2) : end;
    pieces.push(Buffer.from(text.slice(0, digits), "hex"));
    text = text.slice(digits);
  }
  if (!within) throw new Error(`the chain returned no state (${text.slice(0, 200)})`);
  if (!text.startsWith('"')) throw new Error("the chain returned an incomplete state");
  return Buffer.concat(pieces);
}

/** Not with `fetch`, which needs 15 MB more memory. */
function ask(
  rpcUrl: string,
  method: string,
  params: unknown[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { method: "POST", headers: { "content-type": "application/json" }, signal };
    request(rpcUrl, options, resolve)
      .on("error", reject)
      .end(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  });
}
