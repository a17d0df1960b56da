import { askInDialog } from "../../common/editor/dialog.ts";
import { partOf } from "../../common/editor/form-fields.ts";
import { inputOf } from "../../common/editor/form-rows.ts";
import { postJson, requestFailure } from "../../common/editor/lookups/admin-requests.ts";
import { trackOpen } from "../../common/editor/while-open.ts";
import type { SignerKey, SignerTestReport, SignerTestStarted } from "../../common/shared/form-types.ts";
import { SIGNER_KINDS, type SignerKind } from "../../common/shared/signers.ts";
import { NODE } from "../fields.ts";
import { shortKey } from "./key.ts";
import type { Checks, Lines } from "./lines.ts";

const POLL_MS = 1000;

/** Signs a harmless document. Where people may have to approve it, it says so first. */
export function signerTest(checks: Checks): void {
  const { node } = checks;
  if (!asksPeople()) return void run(checks);
  const line = (key: string) => $("<p>").text(node._(`signer.test.ask.${key}`));
  askInDialog(node, {
    title: node._("signer.test.ask.title"),
    content: $("<div>").append(line("people"), line("harmless")),
    action: node._("signer.test.ask.action"),
    act: () => {
      void run(checks);
      return true;
    },
  });
}

/** Web3Signer's REST signs at once: only what gets a document to show asks a person. */
function asksPeople(): boolean {
  const kind = String(inputOf("kind").val()) as SignerKind;
  const isRest = kind === "remote" && inputOf("remoteProtocol").val() === "eth1-sign";
  return !isRest && SIGNER_KINDS[kind]?.mayAskPeople === true;
}

async function run(checks: Checks): Promise<void> {
  const { node, settings, begin } = checks;
  const lines = begin();
  lines.progress(node._("signer.test.running"));
  try {
    const started = await postJson<SignerTestStarted>("crec/signer/test", settings());
    lines.clear();
    if (started.problem !== undefined) return lines.add("problem", started.problem);
    await follow(checks, lines, `crec/signer/test/${started.test}`);
  } catch (failure) {
    lines.clear();
    lines.add("problem", requestFailure(node, failure, "crec.write"));
  }
}

async function follow(checks: Checks, lines: Lines, path: string): Promise<void> {
  const { node } = checks;
  let isCancelled = false;
  const isOpen = trackOpen(partOf(NODE, "check"));
  const cancel = (): void => {
    isCancelled = true;
    lines.clear();
    lines.add("unchecked", node._("signer.test.cancelled"));
  };
  for (;;) {
    const report = await postJson<SignerTestReport>(path);
    if (isCancelled || !lines.isCurrent() || !isOpen()) {
      // What is approved later is not used.
      await postJson(`${path}/cancel`).catch(() => undefined);
      return;
    }
    if (report.problem !== undefined || report.done) {
      lines.clear();
      if (report.problem !== undefined) return lines.add("problem", report.problem);
      return show(checks, lines, report);
    }
    const { seconds, state, isForPerson } = report;
    const key = isForPerson ? "person" : state === undefined ? "waiting" : "state";
    lines.progress(node._(`signer.test.${key}`, { seconds, state }), cancel);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function show(
  { node, view }: Checks,
  lines: Lines,
  { isRight, milliseconds, key, failure }: Extract<SignerTestReport, { done: true }>,
): void {
  if (failure !== undefined) {
    lines.add("problem", failure);
    return;
  }
  const time = milliseconds < 10_000 ? `${milliseconds} ms` : `${Math.round(milliseconds / 1000)} s`;
  lines.add("ok", node._("signer.test.signed", { time }));
  const expected = view.read();
  const isKnown = shortKey(expected) !== "";
  if (!isRight) lines.add("problem", node._("signer.test.wrong"));
  else if (isKnown && !isSame(expected, key))
    lines.add("problem", node._("signer.test.other", { key: shortKey(key) }));
  else {
    if (!isKnown) view.show(key);
    lines.add("ok", node._("signer.test.right", { key: shortKey(key) }));
  }
}

function isSame(one: SignerKey, other: SignerKey): boolean {
  return one.address.toLowerCase() === other.address.toLowerCase() && one.publicKey?.n === other.publicKey?.n;
}
