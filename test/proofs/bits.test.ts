import should from "should";
import { createJsEngine, createWasmEngine, type Engine } from "../../src/proofs/engine.ts";
import { createVerifierOn } from "../../src/proofs/verify.ts";
import type { EventEnvelope, OcrProof } from "../../src/protocol/index.ts";
import { withVariants } from "../support/variants.ts";
import { remembering } from "./engines.ts";
import { caseNamed, configOf } from "./fixtures.ts";

/** Signed by exactly as many as are needed, so that each signature counts. */
const EXACT = [
  "watcher.event, 3 of 7, v 27/28",
  "watcher.event, v 0/1",
  "operation.status confirmed",
  "query.status completed",
];

/** Every part of an event that is bytes: how many there are, and the event with one of their bits turned. */
type Part = { bytes: number; turned: (byte: number, bit: number) => EventEnvelope };

function partsOf(event: EventEnvelope): Record<string, Part> {
  const [proof] = event.headers.proofs as OcrProof[];
  if (proof === undefined) throw new Error("no proof");
  const withProof = (changes: Partial<OcrProof>): EventEnvelope => ({
    ...event,
    headers: { ...event.headers, proofs: [{ ...proof, ...changes }] },
  });
  const hexPart = (hex: string, put: (hex: `0x${string}`) => EventEnvelope): Part => {
    const bytes = Buffer.from(hex.slice(2), "hex");
    return {
      bytes: bytes.length,
      turned: (byte, bit) => put(`0x${withBitTurned(bytes, byte, bit).toString("hex")}`),
    };
  };
  const field = event.headers.type === "query.status" ? "verifiable_result" : "verifiable_event";
  const text = Buffer.from(String(event.payload[field]), "latin1");
  return {
    report: hexPart(proof.ocr_report, (ocr_report) => withProof({ ocr_report })),
    context: hexPart(proof.ocr_context, (ocr_context) => withProof({ ocr_context })),
    ...Object.fromEntries(
      proof.signatures.map((signature, index) => [
        `signature ${index + 1}`,
        hexPart(signature, (turned) => withProof({ signatures: proof.signatures.with(index, turned) })),
      ]),
    ),
    "signed text": {
      bytes: text.length,
      turned: (byte, bit) => ({
        ...event,
        payload: { ...event.payload, [field]: withBitTurned(text, byte, bit).toString("latin1") },
      }),
    },
    "event hash beside it": hexPart(String(event.payload.event_hash), (event_hash) => ({
      ...event,
      payload: { ...event.payload, event_hash },
    })),
  };
}

function withBitTurned(bytes: Buffer, byte: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(byte) ^ (1 << bit), byte);
  return copy;
}

/** Turns one bit after another; every one of them, or in each byte another one. */
function verifiedAfterTurning(engine: Promise<Engine>, name: string, { everyBit }: { everyBit: boolean }) {
  const verifier = createVerifierOn(() => engine, configOf());
  const { event } = caseNamed(name);
  const parts = partsOf(event);
  return async () => {
    should((await verifier.verify(event)).verified).be.true();
    const verified: string[] = [];
    let turned = 0;
    for (const [part, { bytes, turned: eventWith }] of Object.entries(parts)) {
      for (let byte = 0; byte < bytes; byte++) {
        for (const bit of everyBit ? [0, 1, 2, 3, 4, 5, 6, 7] : [byte % 8]) {
          turned += 1;
          const result = await verifier.verify(eventWith(byte, bit));
          if (result.verified) verified.push(`bit ${bit} of byte ${byte} of the ${part}`);
        }
      }
    }
    const all = Object.values(parts).reduce((sum, { bytes }) => sum + bytes, 0);
    should(turned).equal(everyBit ? all * 8 : all);
    should(verified).be.empty();
  };
}

describe("an event with one bit changed", function () {
  this.timeout(120_000);
  const wasm = createWasmEngine().then(remembering);
  const js = Promise.resolve(remembering(createJsEngine()));
  for (const name of EXACT) {
    const everyBit = withVariants || name === EXACT[0];
    const what = everyBit ? "every bit" : "one bit in each byte";
    it(`is rejected, for ${what} of ${name}`, verifiedAfterTurning(wasm, name, { everyBit }));
  }
  const [first = ""] = EXACT;
  it(
    `is rejected by the JavaScript engine too, for one bit in each byte`,
    verifiedAfterTurning(js, first, { everyBit: false }),
  );
});
