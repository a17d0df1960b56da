import should from "should";
import { dedupeKey, type RequestedQuery } from "../../src/proofs/index.ts";
import type { Hex, OcrProof, Query } from "../../src/protocol/index.ts";
import { onEachEngine } from "./engines.ts";
import { caseNamed, configOf, shouldBeRejected, signedEvent } from "./fixtures.ts";

const upper = (hex: unknown) => String(hex).replace(/^0x/, "0X") as Hex;

onEachEngine("a proof whose hex begins with 0X", (verifierOf) => {
  const verifier = verifierOf(configOf());

  for (const name of ["ocr_report", "ocr_context", "signatures"] as const) {
    it(`is malformed: ${name}`, async () => {
      const { event } = caseNamed("watcher.event, all 7");
      const proof = event.headers.proofs[0] as OcrProof;
      const [first, ...others] = proof.signatures;
      const changed =
        name === "signatures" ? { signatures: [upper(first), ...others] } : { [name]: upper(proof[name]) };
      event.headers.proofs = [{ ...proof, ...changed }];
      shouldBeRejected(await verifier.verify(event), "malformed_proof");
    });
  }

  it("does not match the event hash", async () => {
    const { event } = caseNamed("watcher.event, all 7");
    event.payload.event_hash = upper(event.payload.event_hash);
    shouldBeRejected(await verifier.verify(event), "event_hash_mismatch");
  });

  it("does not match the unsigned address", async () => {
    for (const [name, field] of [
      ["operation.status confirmed", "address"],
      ["query.status completed", "target"],
    ] as const) {
      const { event } = caseNamed(name);
      event.payload[field] = upper(event.payload[field]);
      shouldBeRejected(await verifier.verify(event), "unsigned_field_mismatch");
    }
  });

  it("does not match the requested query", async () => {
    const { payload, headers } = caseNamed("query.status completed").event;
    const query = {
      ...payload,
      channel_id: "7e77863e-8c8d-44b2-a0e0-45cad1325017",
      proof: headers.proofs,
    } as unknown as Query;
    const resultFor = (call_data: string) => {
      const params = {
        contract_address: query.target,
        call_data,
        block_selection: { type: "finalized" },
      } as const;
      const requested: RequestedQuery = {
        queryId: query.query_id,
        chainSelector: query.chain_selector,
        params,
      };
      return verifier.verifyQuery(query, { requested });
    };
    for (const right of ["0x18160ddd", "18160DDD"]) should((await resultFor(right)).verified).be.true();
    shouldBeRejected(await resultFor("0X18160ddd"), "unsigned_field_mismatch");
  });

  it("does not count as a transaction hash in a dedupe key", () => {
    const chain_event = { chain_id: "1", tx_hash: `0X${"ab".repeat(32)}`, log_index: 1 };
    should(dedupeKey(signedEvent("watcher.event", { name: "Ping", chain_event }, {}))).match(
      /^0x[0-9a-f]{64}$/,
    );
  });
});
