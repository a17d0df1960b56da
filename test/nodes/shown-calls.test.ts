import should from "should";
import { isShownWhole, shownCalls } from "../../nodes/common/approvals/shown-calls.ts";

const TO = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

/** The calls of a draft as the sidebar shows them to those who approve it. */
describe("the calls that a person approves", () => {
  const valuesOf = (args: object, tokens?: object) =>
    shownCalls([{ to: TO, value: "0", args, ...(tokens ? { tokens } : {}) }])[0]?.values;

  it("have amounts in tokens in place of the raw ones, and lists beside them", () => {
    should(
      valuesOf({ to: TO, value: "5", all: ["5", "6"] }, { value: "0.5", all: ["0.5", "0.6"] }),
    ).deepEqual([
      { name: "to", text: TO },
      { name: "value", text: "0.5", isTokens: true },
      { name: "all", text: '["5","6"]' },
      { name: "all", text: '["0.5","0.6"]', isTokens: true },
    ]);
    should(valuesOf({ valueOf: "5" }, { value: "1" })).deepEqual([{ name: "valueOf", text: "5" }]);
  });

  it("hide no character, and none turns the text around it", () => {
    should(valuesOf({ "a\u202eb": "to\u202e: \u200b5\n", list: ["\u2066x"] })).deepEqual([
      { name: "a\\u{202e}b", text: "to\\u{202e}: \\u{200b}5\\u{a}" },
      { name: "list", text: '["\\u{2066}x"]' },
    ]);
  });

  it("are not shown whole where a text is cut", () => {
    const calls = (text: string) => shownCalls([{ to: TO, value: "0", args: { text } }]);
    should(isShownWhole(calls("x".repeat(500)))).be.true();
    should(isShownWhole(calls("x".repeat(501)))).be.false();
    should(isShownWhole(calls("\u200b".repeat(100)))).be.false();
  });
});
