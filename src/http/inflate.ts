import { constants } from "node:buffer";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { BadResponseError } from "./errors.ts";

/** A body as undici gives it. One without `bytes` inflates by itself, as `fetch` does. */
export type Body = { text(): Promise<string>; bytes?(): Promise<Uint8Array> };

export type Received = {
  body: Body;
  /** The `Content-Encoding` of the answer. */
  encoding: string | string[] | undefined;
  status: number;
  host: string;
  /** Takes the key out of what the answer says. */
  scrub: (text: string) => string;
  /** The largest text taken, in bytes. */
  maxBytes: number;
};

/** What an answer may be compressed with. */
export const ACCEPT_ENCODING = "gzip, br";

type Inflate = (bytes: Uint8Array, options: zlib.ZlibOptions) => Promise<Buffer>;
const inflateZlib = promisify(zlib.inflate) as Inflate;
const inflateRaw = promisify(zlib.inflateRaw) as Inflate;
const INFLATE: Readonly<Record<string, Inflate>> = {
  gzip: promisify(zlib.gunzip) as Inflate,
  "x-gzip": promisify(zlib.gunzip) as Inflate,
  br: promisify(zlib.brotliDecompress) as Inflate,
  // Nobody asks for these, and some proxies send them.
  deflate: inflateEither,
  ...(zlib.zstdDecompress ? { zstd: promisify(zlib.zstdDecompress) as Inflate } : {}),
};
/** How compressed bytes begin that come without a word about it. No text begins so. */
const BEGINNINGS: ReadonlyArray<[coding: string, bytes: readonly number[]]> = [
  ["gzip", [0x1f, 0x8b]],
  ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
];
/** A page of events in a few pieces. */
const CHUNK_BYTES = 64 * 1024;

/**
 * The text of an answer, inflated where it is compressed: never more than `maxBytes` of it are made.
 * @throws {BadResponseError} for a text that is too large, damaged, or in an encoding that was not asked for.
 */
export async function readText({ body, encoding, ...received }: Received): Promise<string> {
  const codings = String(encoding ?? "")
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== "" && coding !== "identity");
  if (!body.bytes) return body.text();
  const bytes = await body.bytes();
  if (bytes.length === 0) return "";
  const coding = codings.join(", ") || codingOf(bytes);
  if (coding === "") return new TextDecoder().decode(bytes);
  const inflate = Object.hasOwn(INFLATE, coding) ? INFLATE[coding] : undefined;
  if (!inflate) throw unreadable(received, unknown(coding, received));
  try {
    const maxOutputLength = Math.min(received.maxBytes, constants.MAX_LENGTH);
    const text = await inflate(bytes, { maxOutputLength, chunkSize: CHUNK_BYTES });
    return new TextDecoder().decode(text);
  } catch (error) {
    if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") throw tooLarge(received.host, error);
    throw unreadable(received, damaged(coding, received), error);
  }
}

/** With the header that belongs to it, or without, as some servers send it. */
async function inflateEither(bytes: Uint8Array, options: zlib.ZlibOptions): Promise<Buffer> {
  try {
    return await inflateZlib(bytes, options);
  } catch (error) {
    if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") throw error;
    return inflateRaw(bytes, options);
  }
}

/** Empty for what is no compressed text. */
function codingOf(bytes: Uint8Array): string {
  const found = BEGINNINGS.find(([, beginning]) => beginning.every((byte, index) => bytes[index] === byte));
  return found?.[0] ?? "";
}

export function tooLarge(host: string, cause: unknown): BadResponseError {
  const message = `The answer of ${host} is larger than allowed. Ask for less at once, for example with a smaller limit.`;
  return new BadResponseError("RESPONSE_TOO_LARGE", message, { cause });
}

function damaged(coding: string, { host, status }: Context): string {
  return `The compressed answer of ${host} is damaged (HTTP ${status}, ${coding}). Try again; if it stays so, look for a proxy on the way that changes answers.`;
}

function unknown(coding: string, { host, status, scrub }: Context): string {
  return `${host} answered in the encoding "${scrub(coding).slice(0, 40)}" (HTTP ${status}), and only ${ACCEPT_ENCODING} were asked for. Look for a proxy on the way that changes answers.`;
}

type Context = Pick<Received, "host" | "status" | "scrub">;

/** Without its status: it does not tell what became of the request, as with any answer that cannot be read. */
function unreadable({ status }: Context, message: string, cause?: unknown): BadResponseError {
  return new BadResponseError("BAD_RESPONSE", message, { cause, retryable: status === 429 || status >= 500 });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
