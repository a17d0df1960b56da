import should from "should";
import { recoverReportSigners } from "../../src/proofs/index.ts";
import type { OcrProof } from "../../src/protocol/index.ts";
import { caseNamed, configOf } from "./fixtures.ts";

const proofOf = (name: string) => caseNamed(name).event.headers.proofs[0] as OcrProof;

describe("recoverReportSigners", () => {
  it("returns the signers, each once, checksummed, in the order of their signatures", async () => {
    should(await recoverReportSigners(proofOf("watcher.event, all 7"))).deepEqual(configOf().validSigners);
    should(await recoverReportSigners(proofOf("one signer three times"))).have.length(1);
  });

  it("does not check signers or event: it is not verification", async () => {
    const strangers = await recoverReportSigners(proofOf("three strangers"));
    should(strangers).have.length(3);
    for (const stranger of strangers) should(configOf().validSigners).not.containEql(stranger);
    should(await recoverReportSigners(proofOf("payload changed after signing"))).have.length(3);
  });

  it("rejects what is not a proof", async () => {
    for (const name of ["report too short", "odd-length hex", "signature of 64 bytes", "recovery byte 29"]) {
      await should(recoverReportSigners(proofOf(name))).be.rejectedWith({ code: "MALFORMED_PROOF" });
    }
    for (const nothing of [undefined, null, {}, { signatures: 7 }]) {
      const given = recoverReportSigners(nothing as unknown as OcrProof);
      await should(given).be.rejectedWith({ code: "MALFORMED_PROOF" });
    }
  });
});
