import fc from "fast-check";
import should from "should";
import {
  AbortedError,
  ArgumentError,
  CrecError,
  GraphqlError,
  HttpError,
  isCrecError,
  NotFoundError,
  SharedCursorDamagedError,
  SignerError,
  TooLargeError,
  WaitError,
} from "../../src/index.ts";

const jsonOf = (error: unknown) => JSON.parse(JSON.stringify(error));

/** One error of each kind that has fields of its own, with a cause. */
const KINDS: ReadonlyArray<(cause: unknown, given: string) => CrecError> = [
  (cause) => new CrecError("NETWORK_MISMATCH", "A sentence.", { cause }),
  (cause) => new ArgumentError("args.to", "A sentence.", { cause }),
  (cause) => new HttpError("BAD_RESPONSE", "A sentence.", { cause }),
  (cause) => new AbortedError(undefined, undefined, { cause }),
  (cause) => new SignerError("SIGNER_TIMEOUT", "A sentence.", { cause }),
  (cause) => new TooLargeError("EVENT_TOO_LARGE", "A sentence.", { offset: 7, cause }),
  (cause, given) =>
    new WaitError("WAIT_TIMEOUT", "A sentence.", { id: "a", target: "b", resource: { given }, cause }),
  (cause, given) => new GraphqlError([], { data: { given }, cause }),
];

/** A key as people have them: of services, of wallets, of clouds. */
const key = fc.oneof(
  fc.uint8Array({ minLength: 16, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString("hex")),
  fc.uint8Array({ minLength: 16, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString("base64")),
  fc.uuid(),
  fc.nat(9).map((digit) => `AKIA${digit}OSFODNN7EXAMPLE`),
);

/** Where an error of others may have it. */
const CAUSES: ReadonlyArray<(key: string) => unknown> = [
  (secret) => secret,
  (secret) => new Error(`Invalid header value Apikey ${secret}`),
  (secret) => Object.assign(new Error("refused"), { code: secret }),
  (secret) => Object.assign(new Error("refused"), { code: "ECONNREFUSED", config: { apiKey: secret } }),
  (secret) => new Error("outer", { cause: new Error(secret) }),
  (secret) => new CrecError("OUTER", "outer", { cause: new Error(secret) }),
  (secret) => ({ code: "E", message: secret, toJSON: () => secret }),
  (secret) => new AggregateError([new Error(secret)], secret),
];

describe("an error", () => {
  it("has its sentence in its JSON, and what a program decides by, but no stack", () => {
    const details = { status: 404, type: "NOT_FOUND", requestId: "r-1", retryAfterMs: undefined };
    should(jsonOf(new NotFoundError("CHANNEL_NOT_FOUND", "There is no such channel.", details))).deepEqual({
      ...{ name: "NotFoundError", code: "CHANNEL_NOT_FOUND", message: "There is no such channel." },
      ...{ retryable: false, status: 404, type: "NOT_FOUND", requestId: "r-1" },
    });
    should(jsonOf(new ArgumentError("args.to", "args.to must be text."))).deepEqual({
      ...{ name: "ArgumentError", code: "INVALID_ARGUMENT", message: "args.to must be text." },
      ...{ retryable: false, path: "args.to" },
    });
    const wait = {
      id: "a",
      target: "active",
      lastStatus: "failed",
      reason: "no ABI",
      resource: { large: true },
    };
    should(jsonOf(new WaitError("WATCHER_FAILED", "It failed.", wait))).deepEqual({
      ...{ name: "WaitError", code: "WATCHER_FAILED", message: "It failed.", retryable: false },
      ...{ id: "a", target: "active", lastStatus: "failed", reason: "no ABI" },
    });
    should(jsonOf(new SharedCursorDamagedError("Redis", "a", 3))).match({ epoch: 3 });
    // In a log it is one field of many.
    const inLog = jsonOf({ level: "error", error: new CrecError("A", "A sentence.", { retryable: true }) });
    should(inLog.error).deepEqual({ name: "CrecError", code: "A", message: "A sentence.", retryable: true });
  });

  it("shows of its cause the code, and the sentence of one of ours, however many there are", () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" });
    should(jsonOf(new CrecError("A", "a", { cause: refused })).cause).deepEqual({ code: "ECONNREFUSED" });
    const ours = new CrecError("B", "b", { cause: refused });
    should(jsonOf(new CrecError("A", "a", { cause: ours })).cause).deepEqual({ code: "B", message: "b" });
    should(jsonOf(new CrecError("A", "a", { cause: "tired" }))).not.have.property("cause");
    ours.cause = ours;
    should(jsonOf(ours).cause).deepEqual({ code: "B", message: "b" });
  });

  it("is written whatever its cause is: a program aborts with any reason", () => {
    const unreadable = Proxy.revocable({}, {});
    unreadable.revoke();
    const marked = Object.assign(new CrecError("B", "b"), { code: 1n });
    const causes = [
      Object.create({
        get code() {
          throw new Error("not now");
        },
      }),
      unreadable.proxy,
      marked,
    ];
    for (const cause of causes) {
      const json = { name: "CrecError", code: "A", message: "a", retryable: false };
      should(jsonOf(new CrecError("A", "a", { cause }))).deepEqual(json);
    }
  });

  it("never has a key in its JSON, wherever its cause, or the program, has put it", () => {
    fc.assert(
      fc.property(key, (secret) => {
        for (const kind of KINDS) {
          for (const causeOf of CAUSES) {
            const error = Object.assign(kind(causeOf(secret), secret), {
              apiKey: secret,
              key: secret,
              request: { secret },
            });
            should(JSON.stringify({ error })).not.containEql(secret);
          }
        }
      }),
    );
  });

  it("is known as one of ours in every copy of the library, with all classes below it", async () => {
    const source = "../../src/errors.ts?another-copy";
    const other: typeof import("../../src/errors.ts") = await import(source);
    const theirs = new other.ArgumentError("args.to", "args.to must be text.");
    should(theirs).not.be.instanceof(CrecError);
    should(isCrecError(theirs)).be.true();
    should(other.isCrecError(new NotFoundError("CHANNEL_NOT_FOUND", "There is none."))).be.true();
    class OfProgram extends CrecError {}
    should(isCrecError(new OfProgram("MINE", "Mine."))).be.true();
    for (const kind of KINDS) should(isCrecError(kind(undefined, ""))).be.true();
    for (const value of [
      undefined,
      null,
      "a",
      7,
      {},
      new Error("a"),
      { code: "A", message: "a" },
      CrecError,
    ]) {
      should(isCrecError(value)).be.false();
    }
    // The mark shows nowhere.
    should(Object.keys(theirs).sort()).deepEqual(["code", "name", "path", "retryable"]);
  });
});
