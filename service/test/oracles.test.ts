import should from "should";
import { privateKeyToAddress } from "viem/accounts";
import { recoverReportSigners } from "../../src/proofs/index.ts";
import { parseReport } from "../../src/proofs/report.ts";
import type { VerifiableEvent } from "../../src/protocol/index.ts";
import { threshold } from "../../src/testing/oracle-round.ts";
import { OracleNetwork } from "../src/oracles/network.ts";
import { runOfStatus } from "../src/oracles/workflows.ts";

describe("the oracles of the local service", () => {
  const oracles = Array.from({ length: 7 }, (_, index) => {
    const privateKey = `0x${String(index + 1).padStart(64, "0")}` as const;
    return { privateKey, address: privateKeyToAddress(privateKey) };
  });

  it("tolerate less than a third of faulty oracles", () => {
    should([1, 3, 4, 6, 7, 10].map(threshold)).eql([1, 1, 2, 2, 3, 4]);
  });

  it("sign each statement with the threshold number of oracles, and take turns", async () => {
    const network = new OracleNetwork(oracles, `0x${"1".repeat(40)}`);
    should(network.minRequiredSignatures).equal(3);
    const signed = new Set<string>();
    for (let round = 0; round < oracles.length; round += 1) {
      const run = runOfStatus("operation", "confirmed");
      const { proof } = await network.attest({ name: `statement ${round}` } as VerifiableEvent, run);
      const report = parseReport(Buffer.from(proof.ocr_report.slice(2), "hex"));
      should(report.workflowCid).equal(`0x${run.workflow_id}`);
      should(report.workflowExecutionId).equal(`0x${run.workflow_execution_id}`);
      should(proof.signatures).have.length(3);
      const signers = await recoverReportSigners(proof);
      should(signers).have.length(3);
      for (const signer of signers) signed.add(signer);
    }
    should([...signed].sort()).eql(network.signers.toSorted());
  });
});
