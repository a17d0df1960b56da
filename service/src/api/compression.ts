import { pipeline, Readable, type Transform } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import type { Routes } from "./routes.ts";

/** A smaller answer fits into one packet uncompressed. */
const THRESHOLD_BYTES = 1024;

type Encoding = {
  name: string;
  whole: (body: string | Buffer) => Promise<Buffer>;
  /** For a body that is sent in parts. */
  parts: () => Transform;
};

/** Higher levels take several times as long, and make pages of events hardly smaller. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const GZIP = { level: 1 };

/** The best one first. */
const ENCODINGS: readonly Encoding[] = [
  {
    name: "br",
    whole: (body) => promisify(brotliCompress)(body, BROTLI),
    parts: () => createBrotliCompress(BROTLI),
  },
  { name: "gzip", whole: (body) => promisify(gzip)(body, GZIP), parts: () => createGzip(GZIP) },
];

/** Compresses answers for clients that accept it. Other answers are sent immediately. */
export function compressAnswers(app: Routes): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    // An injected fault may have sent the answer already.
    const isWhole = typeof payload === "string" || Buffer.isBuffer(payload);
    const isBody = !reply.sent && (isWhole || payload instanceof Readable);
    if (!isBody || (isWhole && Buffer.byteLength(payload) < THRESHOLD_BYTES)) {
      done();
      return;
    }
    reply.header("vary", "accept-encoding");
    const encoding = chosen(request.headers["accept-encoding"]);
    if (encoding === undefined) {
      done();
      return;
    }
    const send = (compressed: Buffer | Readable) => {
      reply.header("content-encoding", encoding.name).removeHeader("content-length");
      done(null, compressed);
    };
    // An error of one ends the other.
    if (isWhole) encoding.whole(payload).then(send, (error: Error) => done(error));
    else send(pipeline(payload, encoding.parts(), () => {}));
  });
}

/** The first of the encodings that the header accepts, by name or `*`, without `q=0`. */
function chosen(accepted = ""): Encoding | undefined {
  const weights = new Map(
    accepted.split(",").map((item): [string, number] => {
      const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith("q="));
      return [name, weight === undefined ? 1 : Number(weight.slice(2))];
    }),
  );
  return ENCODINGS.find(({ name }) => (weights.get(name) ?? weights.get("*") ?? 0) > 0);
}
