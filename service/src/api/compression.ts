import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Routes } from "./routes.ts";

/** A smaller answer fits into one packet uncompressed. */
const THRESHOLD_BYTES = 1024;

type Compress = (body: string | Buffer) => Promise<Buffer>;

/** The best one first. Higher levels take several times as long, and make pages of events hardly smaller. */
const ENCODINGS: ReadonlyArray<[string, Compress]> = [
  ["br", (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ["gzip", (body) => promisify(gzip)(body, { level: 1 })],
];

/** Compresses answers for clients that accept it. Other answers are sent immediately. */
export function compressAnswers(app: Routes): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    // An injected fault may have sent the answer already.
    const isBody = !reply.sent && (typeof payload === "string" || Buffer.isBuffer(payload));
    if (!isBody || Buffer.byteLength(payload) < THRESHOLD_BYTES) {
      done();
      return;
    }
    reply.header("vary", "accept-encoding");
    const [encoding, compress] = chosen(request.headers["accept-encoding"]) ?? [];
    if (encoding === undefined || compress === undefined) {
      done();
      return;
    }
    compress(payload).then(
      (compressed) => {
        reply.header("content-encoding", encoding).removeHeader("content-length");
        done(null, compressed);
      },
      (error: Error) => done(error),
    );
  });
}

/** The first of the encodings that the header accepts, by name or `*`, without `q=0`. */
function chosen(accepted = ""): [string, Compress] | undefined {
  const weights = new Map(
    accepted.split(",").map((item): [string, number] => {
      const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith("q="));
      return [name, weight === undefined ? 1 : Number(weight.slice(2))];
    }),
  );
  return ENCODINGS.find(([name]) => (weights.get(name) ?? weights.get("*") ?? 0) > 0);
}
