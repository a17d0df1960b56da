import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { defaultText } from "../../nodes/alert/texts/words.ts";
import type { ConditionDef } from "../../nodes/common/shared/stored-values.ts";
import { textsByKey } from "../../scripts/lib/languages/problems.ts";

/** Code of the editor has types of its own: those of the browser. */
const { conditionText } = (await import(
  String(new URL("../../nodes/common/editor/conditions/text.ts", import.meta.url))
)) as { conditionText(node: object, condition: ConditionDef, label: string): string };

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Looks a text up in the catalogs of a language, as Node-RED does. */
function textsIn(tag: string): (key: string, values?: Record<string, unknown>) => string {
  const texts = ["nodes/common", "nodes/alert"].flatMap((folder) => {
    const file = join(root, folder, "locales", tag, folder === "nodes/common" ? "common.json" : "alert.json");
    return [...textsByKey(JSON.parse(readFileSync(file, "utf8")) as object)];
  });
  const byKey = new Map(texts);
  return (key, values = {}) =>
    (byKey.get(key) ?? key).replace(/__(.+?)__/g, (_, name: string) => String(values[name]));
}

const field = (more: Partial<Extract<ConditionDef, { kind: "field" }>>): ConditionDef => ({
  kind: "field",
  field: "params.value",
  is: "atLeast",
  value: "100",
  ...more,
});

describe("a condition in words", () => {
  const inForm = (tag: string, condition: ConditionDef) =>
    conditionText({ id: "1", _: textsIn(tag) }, condition, "value");
  const inAlert = (tag: string, condition: ConditionDef) => {
    const worded = {
      ...{ name: "", within: "", compared: "", absentFor: "", sumField: "" },
      ...({ rows: [condition], match: "all", when: "each" } as const),
    };
    const facts = {
      ...{ payload: { status: "active" }, alert: { key: "", count: 1, suppressed: 0 }, severity: "info" },
      ...{ sum: undefined, within: "", contract: "", nameOf: () => undefined, read: () => undefined },
    };
    return defaultText(textsIn(tag), worded, facts as never);
  };

  it("has the order of English in English", () => {
    should(inForm("en-US", field({ unit: "token" }))).equal("value is at least 100 tokens");
    should(inForm("en-US", field({ is: "exists" }))).equal("value exists");
    should(inAlert("en-US", field({ unit: "token" }))).endWith("value at least 100 tokens");
    should(inAlert("en-US", field({ is: "between", to: "200", unit: "token" }))).endWith(
      "value from 100 to 200 tokens",
    );
  });

  it("has the verb at the end in Japanese", () => {
    should(inForm("ja", field({ unit: "token" }))).equal("value が 100 トークン 以上");
    should(inForm("ja", field({ is: "between", to: "200" }))).equal("value が 100 ～ 200 の範囲内");
    should(inAlert("ja", field({ unit: "token" }))).endWith("value が 100 トークン 以上");
    should(inAlert("ja", field({ is: "between", to: "200", unit: "token" }))).endWith(
      "value が 100 ～ 200 トークン の範囲内",
    );
  });
});
