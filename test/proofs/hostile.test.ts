import should from "should";
import { PROOF_LIMITS, type VerifyConfig, type VerifyReason } from "../../src/proofs/index.ts";
import type { EventEnvelope, Hex, OcrProof } from "../../src/protocol/index.ts";
import { onEachEngine } from "./engines.ts";
import {
  caseNamed,
  configOf,
  ownConfig,
  type ProofCase,
  shouldBeRejected,
  signedEvent,
  toSignedText,
} from "./fixtures.ts";

onEachEngine("verifyEvent on hostile input", (verifierOf) => {
  const verifyEvent = (event: EventEnvelope, config: VerifyConfig) => verifierOf(config).verify(event);

  const throwing = new Proxy(
    {},
    {
      get() {
        throw new Proxy(
          {},
          {
            getPrototypeOf() {
              throw new Error("even asking hurts");
            },
          },
        );
      },
    },
  );
  const valid = (): ProofCase => caseNamed("watcher.event, all 7");
  const withText = (text: string): unknown => {
    const { event } = valid();
    return { ...event, payload: { ...event.payload, verifiable_event: text } };
  };
  const hostile: Record<string, () => unknown> = {
    nothing: () => undefined,
    null: () => null,
    "a number": () => 7,
    "a list": () => [],
    "a function": () => () => 1,
    "an object whose getters throw what cannot be looked at": () => throwing,
    "a payload of that kind": () => ({ ...valid().event, payload: throwing }),
    "proofs of that kind": () => ({
      ...valid().event,
      headers: { type: "watcher.event", proofs: [throwing] },
    }),
    "a type called __proto__": () => ({ headers: { type: "__proto__", proofs: [] }, payload: {} }),
    "a type called constructor": () => ({ headers: { type: "constructor", proofs: [] }, payload: {} }),
    "a payload called __proto__": () =>
      JSON.parse('{"headers":{"type":"watcher.event"},"__proto__":{"a":1}}'),
    "a million proofs": () => ({
      ...valid().event,
      headers: { type: "watcher.event", proofs: new Array(1e6).fill({}) },
    }),
    "deep JSON": () => withText(toSignedText(`{"name":${"[".repeat(5e5)}${"]".repeat(5e5)}}`)),
    "deep JSON with big numbers": () =>
      withText(toSignedText(`{"name":"a","b":${"[".repeat(4e5)}1,12345678901234567890${"]".repeat(4e5)}}`)),
    "a number with an exponent of a billion": () => withText(toSignedText('{"name":"a","b":1e999999999}')),
    "signed text of megabytes": () => withText("A".repeat(PROOF_LIMITS.signedText + 4)),
  };
  for (const [name, make] of Object.entries(hostile)) {
    it(`rejects ${name}`, async () => {
      const result = await verifyEvent(make() as EventEnvelope, configOf());
      should(result.verified).be.false();
    });
  }

  it("rejects a million signatures, and megabytes of hex", async () => {
    for (const change of [
      { signatures: new Array(1e6).fill("0x00") },
      { ocr_report: `0x${"00".repeat(PROOF_LIMITS.hex)}` },
    ]) {
      const { event } = valid();
      Object.assign(event.headers.proofs[0] as object, change);
      shouldBeRejected(await verifyEvent(event, configOf()), "malformed_proof");
    }
  });

  it("rejects characters that Node.js would read as hex digits by their low byte", async () => {
    for (const [digit, lookalike] of Object.entries({ 1: "\u0131", a: "\u0161", f: "\u0166" })) {
      const { event } = valid();
      const proof = event.headers.proofs[0] as OcrProof;
      proof.signatures[0] = proof.signatures[0]?.replace(digit, lookalike) as Hex;
      shouldBeRejected(await verifyEvent(event, configOf()), "malformed_proof");
    }
  });

  it("rejects a channel or an id that is equal only by Unicode lower case", async () => {
    const { event } = caseNamed("query.status completed");
    const signed = "7e77863e-8c8d-44b2-a0e0-45cad1325017";
    should(
      (await verifierOf(configOf()).verify(event, { channelId: signed.toUpperCase() })).verified,
    ).be.true();
    const data = { query_id: "k", channel_id: "c", target: { contract_address: "0x" }, result: {} };
    const payload = { query_id: "\u212a", status: "completed", target: "0x", chain_selector: "1" };
    const lookalike = signedEvent("query.status", { data }, payload);
    shouldBeRejected(await verifyEvent(lookalike, ownConfig), "unsigned_field_mismatch");
    lookalike.payload.query_id = "K";
    should((await verifyEvent(lookalike, ownConfig)).verified).be.true();
  });

  it("enforces the documented limits exactly", async () => {
    const { signedText, jsonDepth, signatures, proofs, hex } = PROOF_LIMITS;
    const payload = { watcher_id: "w", chain_selector: "1" };
    const event = (json: string) => signedEvent("watcher.event", json, payload);
    const filled = (length: number) => event(`{"name":"${"a".repeat(length - '{"name":""}'.length)}"}`);
    const nested = (depth: number) => event(`{"name":"a","b":${"[".repeat(depth)}${"]".repeat(depth)}}`);
    const withProof = (change: (proof: OcrProof, proofs: unknown[]) => void) => {
      const changed = event('{"name":"a"}');
      change(changed.headers.proofs[0] as OcrProof, changed.headers.proofs);
      return changed;
    };
    const repeated = (count: number) =>
      withProof((proof) => {
        proof.signatures = Array.from({ length: count }, (_, index) => proof.signatures[index % 2] as Hex);
      });
    const beside = (count: number) => withProof((_, all) => all.push(...new Array(count - 1).fill({})));
    const bytes = (signedText / 4) * 3;
    const cases: Array<[EventEnvelope, EventEnvelope, VerifyReason]> = [
      [filled(bytes), filled(bytes + 1), "malformed_event"],
      [nested(jsonDepth - 1), nested(jsonDepth), "malformed_event"],
      [beside(proofs), beside(proofs + 1), "malformed_event"],
      [repeated(signatures), repeated(signatures + 1), "malformed_proof"],
    ];
    for (const [most, more, reason] of cases) {
      should(await verifyEvent(most, ownConfig)).match({ verified: true });
      shouldBeRejected(await verifyEvent(more, ownConfig), reason);
    }
    // A context that long was not signed, so the most of it is read and found wrong.
    const context = (length: number) =>
      withProof((proof) => {
        proof.ocr_context = `0x${"0".repeat(length - 2)}`;
      });
    shouldBeRejected(await verifyEvent(context(hex), ownConfig), "threshold_not_met");
    shouldBeRejected(await verifyEvent(context(hex + 2), ownConfig), "malformed_proof");
  });

  it("returns not_configured for a configuration of any other form", async () => {
    for (const config of [undefined, null, {}, throwing, { validSigners: 7 }, { validSigners: ["0x1"] }]) {
      shouldBeRejected(await verifyEvent(valid().event, config as never), "not_configured");
    }
    for (const minRequiredSignatures of [0, -1, 1.5, Number.NaN, "3", undefined]) {
      const config = { ...configOf(), minRequiredSignatures } as never;
      shouldBeRejected(await verifyEvent(valid().event, config), "not_configured");
    }
  });
});
