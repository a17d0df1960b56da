import { randomUUID } from "node:crypto";
import type { SigningState, SignRequest } from "../../../src/index.ts";
import { answerForms, fieldsOf } from "../../common/admin/answer.ts";
import type { NodeRedContext } from "../../common/context.ts";
import { loadLibrary } from "../../common/library.ts";
import { errorText } from "../../common/messages/error-texts.ts";
import { nodeError } from "../../common/shared/errors.ts";
import type { SignerTestReport, SignerTestStarted } from "../../common/shared/form-types.ts";
import { longestSigning } from "../../common/shared/signers.ts";
import { type OpenSigner, openSigner } from "../open-signer.ts";
import { keyOf } from "./keys.ts";
import { testedSigner } from "./tested-signer.ts";

/** A form asks each second, and in a hidden tab each minute. One that does not was closed: then nobody waits. */
const UNASKED_MS = 180_000;

/** After a signature a form has this long to learn of it. */
const KEPT_MS = 60_000;

/** A person who opens many forms does not test more at a time. */
const MOST = 8;
const ZERO_ADDRESS = `0x${"0".repeat(40)}`;

type Running = {
  /** By `performance.now`. */
  began: number;
  report: SignerTestReport;
  ends: AbortController;
  timer: ReturnType<typeof setTimeout> | undefined;
};

const running = new Map<string, Running>();

/**
 * `POST /crec/signer/test`: signs a harmless document with the settings in the form. Since people may have to approve it,
 * it answers at once, with the id of the test.
 * `POST /crec/signer/test/:test`: how far it is. `POST /crec/signer/test/:test/cancel` ends it.
 */
export function registerSignerTest(context: NodeRedContext): void {
  answerForms(context.RED, "post", "/crec/signer/test", "crec.write", ({ body }): SignerTestStarted => {
    const { values, way, conceal } = testedSigner(context, fieldsOf(body));
    const seconds = longestSigning({ kind: values.kind, timeout: values.text("timeout") });
    const timeoutMs = seconds === 0 ? undefined : seconds * 1000;
    return { test: startTest(() => openSigner(values, way), { timeoutMs, conceal }) };
  });
  answerForms(
    context.RED,
    "post",
    "/crec/signer/test/:test",
    "crec.write",
    ({ params }): SignerTestReport => {
      return reportOf(params.test ?? "");
    },
  );
  answerForms(context.RED, "post", "/crec/signer/test/:test/cancel", "crec.write", ({ params }): object => {
    cancelTest(params.test ?? "");
    return {};
  });
}

/** Begins a test, and returns its id. @throws TOO_MANY_TESTS */
function startTest(
  open: () => Promise<OpenSigner>,
  { timeoutMs, conceal }: { timeoutMs: number | undefined; conceal(sentence: string): string },
): string {
  if (running.size >= MOST) {
    throw nodeError("TOO_MANY_TESTS", "Other tests of signers are running. Cancel them, or try again later.");
  }
  const id = randomUUID();
  const ends = new AbortController();
  const report = { done: false, seconds: 0, isForPerson: false } as const;
  const test: Running = { began: performance.now(), report, ends, timer: undefined };
  running.set(id, test);
  keepFor(id, test, UNASKED_MS);
  const timeout = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)];
  const signal = AbortSignal.any([ends.signal, ...timeout]);
  const onState = ({ state, isForPerson }: SigningState): void => {
    if (!test.report.done) test.report = { done: false, seconds: 0, state, isForPerson };
  };
  void sign(open, signal, onState)
    .catch((thrown: unknown): Omit<Done, "milliseconds"> => {
      const failure = timeout.some(({ aborted }) => aborted) ? LATE : conceal(errorText(thrown));
      return { done: true, isRight: false, key: { address: "" }, failure };
    })
    .then((done) => {
      test.report = { ...done, milliseconds: Math.round(performance.now() - test.began) };
      keepFor(id, test, KEPT_MS);
    });
  return id;
}

/** How far a test is. @throws TEST_ENDED */
function reportOf(id: string): SignerTestReport {
  const test = running.get(id);
  if (test === undefined) throw ended();
  if (test.report.done) {
    forget(id, test);
    return test.report;
  }
  keepFor(id, test, UNASKED_MS);
  const seconds = Math.floor((performance.now() - test.began) / 1000);
  return { ...test.report, seconds };
}

/** Ends a test. What a person approves afterwards is not used. */
function cancelTest(id: string): void {
  const test = running.get(id);
  if (test) forget(id, test);
}

type Done = Extract<SignerTestReport, { done: true }>;

async function sign(
  open: () => Promise<OpenSigner>,
  signal: AbortSignal,
  onState: (state: SigningState) => void,
): Promise<Omit<Done, "milliseconds">> {
  const signer = await open();
  try {
    const request = await harmlessRequest();
    const signature = await signer.sign(request, { signal, onState });
    const { canonicalSignature, isRsaSignature, recoverSigner } = await loadLibrary();
    const { address, publicKey } = signer;
    const isRight = publicKey
      ? isRsaSignature(publicKey, request.digest, signature)
      : recoverSigner(request.digest, canonicalSignature(signature)).toLowerCase() === address?.toLowerCase();
    return { done: true, isRight, key: keyOf(signer) };
  } finally {
    await signer.close?.();
  }
}

/** An operation that no wallet can execute: of the zero address, past its deadline since 1970, without value. */
async function harmlessRequest(): Promise<SignRequest> {
  const { randomWalletOperationId, signRequestOf } = await loadLibrary();
  const operation = {
    id: randomWalletOperationId(),
    account: ZERO_ADDRESS,
    deadline: "1",
    transactions: [{ to: ZERO_ADDRESS, value: "0", data: "0x" }],
  };
  return signRequestOf(operation, "1");
}

function keepFor(id: string, test: Running, milliseconds: number): void {
  clearTimeout(test.timer);
  if (running.get(id) !== test) return;
  test.timer = setTimeout(() => forget(id, test), milliseconds);
  test.timer.unref();
}

function forget(id: string, test: Running): void {
  clearTimeout(test.timer);
  running.delete(id);
  test.ends.abort();
}

const LATE =
  "No signature within the time-out of the signer. Ask the person who approves, or set a longer one.";

function ended(): Error {
  return nodeError("TEST_ENDED", "This test has ended. Test again.");
}
