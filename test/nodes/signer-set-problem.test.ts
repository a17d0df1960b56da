import should from "should";
import { isVerificationUntouched } from "../../nodes/common/shared/signers.ts";
import type { FamilyDef } from "../../nodes/common/shared/stored-values.ts";
import { signerSetProblem } from "../../nodes/connection/signer-set.ts";

const SIGNERS = ["11", "22", "33", "44"].map((digits) => `0x${digits.repeat(20)}`);
const RIGHT: FamilyDef = {
  ...{ family: "zone-b", validSigners: SIGNERS.join("\n"), minRequiredSignatures: "2" },
  ...{ orgId: "", creTenantId: "" },
};

describe("the set of an oracle family in the form", () => {
  const judge = (changes: FamilyDef = {}, others: FamilyDef[] = [], orgId = "org_1") => {
    const set = { ...RIGHT, ...changes };
    return signerSetProblem(set, { families: [set, ...others], orgId })
      ?.key.split(".")
      .at(-1);
  };

  it("is right with a name, signers and a threshold that they can reach", () => {
    should(judge()).be.undefined();
    should(judge({ creTenantId: "2" })).be.undefined();
    should(judge({}, [{ ...RIGHT, family: "zone-c" }])).be.undefined();
    should(judge({ validSigners: "${SIGNERS}", minRequiredSignatures: "${LEAST}" })).be.undefined();
  });

  it("is refused where something is missing or wrong", () => {
    should(judge({ family: " " })).equal("name");
    should(judge({}, [{ ...RIGHT, family: " zone-b" }])).equal("twice");
    for (const validSigners of ["", "0x12", `${SIGNERS[0]} nobody`]) {
      should(judge({ validSigners })).equal("signers");
    }
    for (const minRequiredSignatures of ["", "0", "1.5", "-1", "many"]) {
      should(judge({ minRequiredSignatures })).equal("threshold");
    }
    should(judge({ minRequiredSignatures: "5" })).equal("unreachable");
    const twice = { validSigners: [SIGNERS[0], SIGNERS[0]?.toUpperCase().replace("0X", "0x")].join(",") };
    should(judge({ ...twice, minRequiredSignatures: "2" })).equal("unreachable");
    should(judge({ creTenantId: "2" }, [], "")).equal("organization");
    should(judge({ creTenantId: "2", orgId: "org_2" }, [], "")).be.undefined();
  });

  it("counts as configured verification", () => {
    should(isVerificationUntouched({ validSigners: [] })).be.true();
    for (const families of [[], {}, undefined]) {
      should(isVerificationUntouched({ validSigners: [], families })).be.true();
    }
    for (const families of [[RIGHT], { "zone-b": {} }]) {
      should(isVerificationUntouched({ validSigners: [], families })).be.false();
    }
  });
});
