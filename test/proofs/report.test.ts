import should from "should";
import {
  buildReport,
  parseReport,
  REPORT_MIN_BYTES,
  workflowOwnerFromOrgId,
} from "../../src/proofs/index.ts";
import { readVectors } from "./fixtures.ts";

describe("an OCR report", () => {
  it("is parsed to the fields that it was built from", () => {
    const fields = {
      version: 1,
      workflowExecutionId: new Uint8Array(32).fill(1),
      timestamp: 1_780_000_000,
      donId: 4_294_967_295,
      donConfigVersion: 2,
      workflowCid: new Uint8Array(32).fill(3),
      workflowName: new Uint8Array(10).fill(4),
      workflowOwner: new Uint8Array(20).fill(5),
      reportId: new Uint8Array(2).fill(6),
      eventHash: new Uint8Array(32).fill(7),
    };
    const report = buildReport(fields);
    should(report.length).equal(REPORT_MIN_BYTES);
    should(parseReport(report)).deepEqual({
      version: 1,
      workflowExecutionId: `0x${"01".repeat(32)}`,
      timestamp: 1_780_000_000,
      donId: 4_294_967_295,
      donConfigVersion: 2,
      workflowCid: `0x${"03".repeat(32)}`,
      workflowName: `0x${"04".repeat(10)}`,
      workflowOwner: `0x${"05".repeat(20)}`,
      reportId: `0x${"06".repeat(2)}`,
      payload: `0x${"07".repeat(32)}`,
      eventHash: `0x${"07".repeat(32)}`,
    });
  });

  it("is rejected when too short, and not built from fields of a wrong size", () => {
    should(() => parseReport(new Uint8Array(140))).throw({ code: "MALFORMED_PROOF" });
    const fields = { workflowOwner: new Uint8Array(20), eventHash: new Uint8Array(32) };
    should(() => buildReport({ ...fields, workflowOwner: new Uint8Array(19) })).throw(RangeError);
    for (const [name, bytes] of Object.entries({
      workflowExecutionId: 32,
      workflowCid: 32,
      workflowName: 10,
      workflowOwner: 20,
      reportId: 2,
    })) {
      const build = () => buildReport({ ...fields, [name]: new Uint8Array(bytes + 1) });
      should(build).throw(`${name} must have ${bytes} bytes, not ${bytes + 1}.`);
    }
    for (const donId of [2 ** 32, -1, 1.5]) {
      should(() => buildReport({ ...fields, donId })).throw(RangeError, { message: /donId must fit 4 byte/ });
    }
  });
});

describe("workflowOwnerFromOrgId", () => {
  const { cases } = readVectors<{
    cases: Array<{ org_id: string; cre_tenant_id: string; workflow_owner: string }>;
  }>("workflow-owners.json");
  for (const { org_id, cre_tenant_id, workflow_owner } of cases) {
    it(`derives ${workflow_owner} from "${org_id}" of tenant "${cre_tenant_id}"`, () => {
      should(workflowOwnerFromOrgId(org_id, cre_tenant_id)).equal(workflow_owner);
    });
  }
});
