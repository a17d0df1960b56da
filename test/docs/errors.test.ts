import should from "should";
import { documentedCodes, runtimeSources, thrownCodes } from "../../scripts/lib/api/error-codes.mjs";
import { VERIFY_REASONS } from "../../src/index.ts";
import { QUERY_ERROR_CODES } from "../../src/protocol/index.ts";

/** The codes in the first column of the tables: those of errors, of failed queries, of rejected proofs. */
function documented(): { codes: string[]; queryReasons: string[]; verifyReasons: string[] } {
  const all = documentedCodes();
  const of = (wanted: string) => all.filter(({ kind }) => kind === wanted).map(({ code }) => code);
  return { codes: of("error"), verifyReasons: of("proof"), queryReasons: of("query") };
}

describe("the page of errors", () => {
  it("has every code that can be thrown, once, and none that cannot", () => {
    const { codes, queryReasons } = documented();
    const known = thrownCodes(runtimeSources());
    should([...known].filter((code) => ![...codes, ...queryReasons].includes(code)).sort()).deepEqual(
      [],
      "not in docs/errors.md",
    );
    should(codes.filter((code, index) => !known.has(code) || codes.indexOf(code) !== index)).deepEqual(
      [],
      "gone, or twice",
    );
  });

  it("has every reason for which a query fails", () => {
    const { codes, queryReasons } = documented();
    should(QUERY_ERROR_CODES.filter((code) => ![...codes, ...queryReasons].includes(code))).be.empty();
  });

  it("has every reason for which a proof or an expectation is not met", () => {
    const { verifyReasons } = documented();
    should(VERIFY_REASONS.filter((reason) => !verifyReasons.includes(reason))).be.empty();
    const text = runtimeSources();
    should(verifyReasons.filter((reason) => !text.includes(`"${reason}"`))).be.empty();
  });
});
