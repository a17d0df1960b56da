import should from "should";
import { CrecError } from "../../src/errors.ts";
import {
  generatePrivateKey,
  localEcdsaSigner,
  type Signer,
  type SignRequest,
  signRequestOf,
  signWith,
} from "../../src/signing/index.ts";
import { errorOf } from "../http/support.ts";

const account = `0x${"11".repeat(20)}`;
const transactions = [{ to: account, value: "0", data: "0x" }];
const requestOf = (deadline: number): SignRequest =>
  signRequestOf({ id: "1", account, deadline, transactions }, 31337);
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

/** A signer that answers when it is told to, and the signals that it was given. */
function slowSigner(settings: Partial<Signer> = {}) {
  const key = localEcdsaSigner(generatePrivateKey());
  const asked: Array<AbortSignal | undefined> = [];
  const answer = Promise.withResolvers<void>();
  const signer: Signer = {
    kind: "ecdsa",
    address: key.address,
    ...settings,
    sign: async (request, options) => {
      asked.push(options?.signal);
      await answer.promise;
      return key.sign(request);
    },
  };
  return { signer, asked, answer: answer.resolve };
}

describe("the wait for a signature", () => {
  it("ends at the signer's time-out, and tells the signer", async () => {
    const { signer, asked } = slowSigner({ timeoutMs: 50 });
    const error = await errorOf(signWith(signer, requestOf(0)));
    should(error).have.properties({ code: "SIGNER_TIMEOUT", name: "SignerError", retryable: false });
    should(error.message).match(
      /within the signer's time-out\. Nothing was submitted\. Check the key service, or set/,
    );
    should(asked[0]?.aborted).be.true();
  });

  it("says what the key service was at", async () => {
    const { signer } = slowSigner({ timeoutMs: 50 });
    const waiting: Signer = {
      ...signer,
      sign: (request, options) => {
        options?.onState?.({ state: "PENDING_AUTHORIZATION", isForPerson: true });
        return signer.sign(request, options);
      },
    };
    const error = await errorOf(signWith(waiting, requestOf(0)));
    should(error).have.property("state", "PENDING_AUTHORIZATION");
    should(error.message).match(
      /Ask the person who approves, .* The key service still says PENDING_AUTHORIZATION\.$/,
    );
  });

  it("ends at the operation's deadline, where that is earlier", async () => {
    const { signer, asked } = slowSigner({ timeoutMs: 60_000 });
    const begun = Date.now();
    const error = await errorOf(signWith(signer, requestOf(inSeconds(2))));
    should(error.message).match(/before the operation's deadline\. Nothing was submitted\. Choose a later/);
    should(Date.now() - begun).be.below(5_000);
    should(asked[0]?.aborted).be.true();
  });

  it("does not begin after the deadline: nobody is asked for what cannot be used", async () => {
    const { signer, asked } = slowSigner({ timeoutMs: 60_000 });
    const error = await errorOf(signWith(signer, requestOf(inSeconds(-1))));
    should(error).have.property("code", "SIGNER_TIMEOUT");
    should(asked).be.empty();
  });

  it("has no end of its own without either, and longer ones than a timer holds", async () => {
    for (const [timeoutMs, deadline] of [
      [undefined, 0],
      [1e12, 0],
      [undefined, inSeconds(1e9)],
      // The service says why it is too late.
      [undefined, inSeconds(-1)],
    ] as const) {
      const { signer, answer } = slowSigner(timeoutMs === undefined ? {} : { timeoutMs });
      const signing = signWith(signer, requestOf(deadline));
      answer();
      should(await signing).match(/^0x[0-9a-f]{130}$/);
    }
  });

  it("ends when the caller's signal fires, with its reason, even if the signer ignores it", async () => {
    const reason = new CrecError("REDEPLOYED", "The flow was deployed again.");
    for (const [given, code] of [
      [reason, "REDEPLOYED"],
      ["something else", "ABORTED"],
    ] as const) {
      const { signer, asked } = slowSigner({ timeoutMs: 60_000 });
      const controller = new AbortController();
      const ended = errorOf(signWith(signer, requestOf(0), { signal: controller.signal }));
      controller.abort(given);
      should(await ended).have.property("code", code);
      should(asked[0]?.aborted).be.true();
      const { signer: another, asked: never } = slowSigner();
      should(await errorOf(signWith(another, requestOf(0), controller))).have.property("code", code);
      should(never).be.empty();
    }
  });

  it("uses no signature that comes later", async () => {
    const { signer, answer } = slowSigner({ timeoutMs: 20 });
    const ended = errorOf(signWith(signer, requestOf(0)));
    should(await ended).have.property("code", "SIGNER_TIMEOUT");
    answer();
  });

  it("ends with the signer's own error, also where it throws before it waits", async () => {
    const refused = new CrecError("SIGNER_REFUSED", "No.");
    const signer: Signer = {
      kind: "ecdsa",
      sign: () => {
        throw refused;
      },
    };
    should(await errorOf(signWith(signer, requestOf(0)))).equal(refused);
  });

  it("reports what it waits for", async () => {
    const key = localEcdsaSigner(generatePrivateKey());
    const states: unknown[] = [];
    const signer: Signer = {
      kind: "ecdsa",
      sign: (request, options) => {
        options?.onState?.({ state: "PENDING", isForPerson: true });
        return key.sign(request);
      },
    };
    await signWith(signer, requestOf(0), { onState: (state) => states.push(state) });
    should(states).deepEqual([{ state: "PENDING", isForPerson: true }]);
  });
});
