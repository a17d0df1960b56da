import should from "should";
import { shareSigner } from "../../../nodes/common/signing/shared-signer.ts";
import { type Signer, type SigningState, signRequestOf } from "../../../src/signing/index.ts";

const account = `0x${"11".repeat(20)}`;
const requestOf = (id: string, chainId = 31337) =>
  signRequestOf(
    { id, account, deadline: 0, transactions: [{ to: account, value: "0", data: "0x" }] },
    chainId,
  );
const request = requestOf("1");
const WAITS: SigningState = { state: "PENDING_AUTHORIZATION", isForPerson: true };

/** Several messages about one operation ask a person once. */
describe("messages that wait for one signature", () => {
  const slow = () => {
    const asked: Array<{ signal: AbortSignal | undefined; answer: PromiseWithResolvers<`0x${string}`> }> = [];
    const signer: Signer = {
      kind: "ecdsa",
      timeoutMs: 60_000,
      sign: (_request, { signal, onState } = {}) => {
        const answer = Promise.withResolvers<`0x${string}`>();
        signal?.addEventListener("abort", () => answer.reject(signal.reason));
        asked.push({ signal, answer });
        onState?.(WAITS);
        return answer.promise;
      },
    };
    return { signer, asked };
  };

  it("ask once, are told its state, and get it until the last of them is done", async () => {
    const { signer, asked } = slow();
    const states: string[] = [];
    const join = (name: string) => {
      const joined = shareSigner(signer, request.digest);
      const signed = joined.signer.sign(request, { onState: ({ state }) => states.push(`${name} ${state}`) });
      return { ...joined, signed };
    };
    const [first, second] = [join("first"), join("second")];
    should(asked).have.length(1);
    should(states).deepEqual(["first PENDING_AUTHORIZATION", "second PENDING_AUTHORIZATION"]);
    first.leave();
    first.leave();
    should(asked[0]?.signal?.aborted).be.false();
    asked[0]?.answer.resolve("0xsigned" as "0x");
    should(await second.signed).equal("0xsigned");
    should(await join("third").signed).equal("0xsigned");
    should(asked).have.length(1);
    should(first.signer.timeoutMs).equal(60_000);
  });

  it("end the request when none of them waits any more", async () => {
    const { signer, asked } = slow();
    const { signer: joined, leave } = shareSigner(signer, request.digest);
    const signed = joined.sign(request);
    leave();
    should(asked[0]?.signal?.aborted).be.true();
    await should(signed).be.rejected();
    const again = shareSigner(signer, request.digest);
    again.signer.sign(request).catch(() => {});
    should(asked).have.length(2);
    again.leave();
  });

  it("ask again after an error, and for another digest or by another signer", async () => {
    const { signer, asked } = slow();
    const one = shareSigner(signer, request.digest);
    const refused = one.signer.sign(request);
    asked[0]?.answer.reject(new Error("refused"));
    await should(refused).be.rejectedWith("refused");
    one.signer.sign(request).catch(() => {});
    should(asked).have.length(2);
    const other = shareSigner(signer, requestOf("2").digest);
    other.signer.sign(requestOf("2")).catch(() => {});
    should(asked).have.length(3);
    const changed = slow();
    const third = shareSigner(changed.signer, request.digest);
    third.signer.sign(request).catch(() => {});
    should(changed.asked).have.length(1);
    for (const { leave } of [one, other, third]) leave();
    should(asked[1]?.signal?.aborted).be.true();
  });

  it("are one for a digest in any case, and sign nothing else", async () => {
    const { signer, asked } = slow();
    const one = shareSigner(signer, request.digest);
    const other = shareSigner(signer, request.digest.toUpperCase().replace("0X", "0x"));
    for (const { signer: joined } of [one, other]) joined.sign(request).catch(() => {});
    should(asked).have.length(1);
    await should(one.signer.sign(requestOf("1", 1))).be.rejectedWith({ code: "DIGEST_MISMATCH" });
    should(asked).have.length(1);
    for (const { leave } of [one, other]) leave();
  });
});
