import { readFileSync } from "node:fs";
import should from "should";
import { PROOF_LIMITS, VERIFY_REASONS } from "../../src/proofs/index.ts";

describe("the page about proofs", () => {
  const page = readFileSync(new URL("../../docs/verification.md", import.meta.url), "utf8");

  it("has every reason, in the order of the checks", () => {
    const rows = page.split("\n").filter((line) => /^\| \d \|/.test(line));
    const reasons = rows.flatMap(
      (row) => row.match(/`[a-z]+_[a-z_]+`/g)?.filter((word) => word !== "`event_hash`") ?? [],
    );
    should(reasons).deepEqual(VERIFY_REASONS.map((reason) => `\`${reason}\``));
  });

  it("has every limit as it is", () => {
    for (const limit of Object.values(PROOF_LIMITS)) {
      should(page).containEql(`| ${limit.toLocaleString("en-US")}`);
    }
  });
});
