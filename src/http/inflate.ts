import { constants } from "node:buffer";
import { promisify } from "node:util";
import zlib, { type ZlibOptions } from "node:zlib";
import { BadResponseError } from "./errors.ts";
import type { Mask } from "./masking.ts";

/** A body as undici gives it. One without `bytes` inflates by itself, as `fetch` does. */
export type Body = { text(): Promise<string>; bytes?(): Promise<Uint8Array> };

type Received = {
  body: Body;
  /** The `Content-Encoding` of the answer. */
  encoding: string | string[] | undefined;
  status: number;
  host: string;
  /** Removes the key from a text of the answer. */
  mask: Mask;
  /** The largest text that is read, in bytes. */
  maxBytes: number;
};

/** The encodings that requests accept. */
export const ACCEPT_ENCODING = "gzip, br";

type Inflate = (bytes: Uint8Array, options: ZlibOptions) => Promise<Buffer>;
const inflateZlib = promisify(zlib.inflate) as Inflate;
const inflateRaw = promisify(zlib.inflateRaw) as Inflate;
const INFLATE: Readonly<Record<string, Inflate>> = {
  gzip: promisify(zlib.gunzip) as Inflate,
  "x-gzip": promisify(zlib.gunzip) as Inflate,
  br: promisify(zlib.brotliDecompress) as Inflate,
  // Requests do not accept these, but some proxies send them.
  deflate: inflateEither,
  ...(zlib.zstdDecompress ? { zstd: promisify(zlib.zstdDecompress) as Inflate } : {}),
};
/** How compressed bytes begin, for answers without a `Content-Encoding`. No text begins like this. */
const BEGINNINGS: ReadonlyArray<[coding: string, bytes: readonly number[]]> = [
  ["gzip", [0x1f, 0x8b]],
  ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
];
/** Large enough for a page of events in a few chunks. */
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

/** With the zlib header, or without it, as some servers send it. */
async function inflateEither(bytes: Uint8Array, options: ZlibOptions): Promise<Buffer> {
  try {
    return await inflateZlib(bytes, options);
  } catch (error) {
    if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") throw error;
    return inflateRaw(bytes, options);
  }
}

/** Empty for text that is not compressed. */
function codingOf(bytes: Uint8Array): string {
  const found = BEGINNINGS.find(([, beginning]) => beginning.every((byte, index) => bytes[index] === byte));
  return found?.[0] ?? "";
}

export function tooLarge(host: string, cause: unknown): BadResponseError {
  const message = `The answer of ${host} is larger than allowed. Request less, for example with a smaller limit.`;
  return new BadResponseError("RESPONSE_TOO_LARGE", message, { cause });
}

function damaged(coding: string, { host, status }: Context): string {
  return `The compressed answer of ${host} is damaged (HTTP ${status}, ${coding}). Try again. If it happens again, look for a proxy that changes answers.`;
}

function unknown(coding: string, { host, status, mask }: Context): string {
  return `${host} answered in the encoding "${mask(coding).slice(0, 40)}" (HTTP ${status}), but the request accepts only ${ACCEPT_ENCODING}. Look for a proxy that changes answers.`;
}

type Context = Pick<Received, "host" | "status" | "mask">;

/** Without the status: an answer that cannot be read does not say whether the request had an effect. */
function unreadable({ status }: Context, message: string, cause?: unknown): BadResponseError {
  return new BadResponseError("BAD_RESPONSE", message, { cause, retryable: status === 429 || status >= 500 });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
