import type { Node, NodeAPI, NodeDef } from "node-red";
import should from "should";
import { type FieldReader, fieldReader } from "../../nodes/lib/runtime/field-reader.ts";
import { isAddress } from "../../nodes/lib/shared/field-checks.ts";
import { describeNode } from "../../nodes/lib/shared/fields.ts";

const NODE = describeNode({
  type: "crec-test",
  version: 1,
  fields: {
    mode: { kind: "select", options: ["wait", "send"], default: "wait" },
    wait: { kind: "number", default: "10", least: 1, shown: { mode: "wait" } },
    until: { kind: "select", options: ["done", "sent"], default: "done", shown: { mode: "wait" } },
    repeat: { kind: "boolean", default: false, shown: { mode: "wait" } },
    names: { kind: "typed", list: true },
    addresses: { kind: "typed", list: true, check: isAddress },
  },
});
const ADDRESS = `0x${"ab".repeat(20)}`;

describe("the settings of a node, as its table says", () => {
  const reader = (settings: object): FieldReader<typeof NODE> => {
    const evaluateNodeProperty = (
      value: string,
      type: string,
      _node: unknown,
      _msg: unknown,
      done: (error: Error | null, value: unknown) => void,
    ) => done(null, type === "json" ? JSON.parse(value) : value);
    const RED = { _: (key: string) => key, util: { evaluateNodeProperty } };
    return fieldReader(RED as unknown as NodeAPI, {} as Node, NODE, settings as NodeDef);
  };

  it("count only while the form shows them: nobody could correct the others", () => {
    const wrong = { wait: "soon", until: "maybe", repeat: true };
    const hidden = reader({ mode: "send", ...wrong });
    should([hidden.number("wait"), hidden.choice("until"), hidden.flag("repeat")]).deepEqual([
      ...[10, "done", false],
    ]);
    // Without a mode, it is the default.
    for (const shown of [reader(wrong), reader({ mode: "", ...wrong })]) {
      should(() => shown.number("wait")).throw({ code: "INVALID_FIELD" });
      should(() => shown.choice("until")).throw({ code: "INVALID_FIELD" });
      should(shown.flag("repeat")).equal(true);
    }
  });

  it("split a text at its commas, and not the texts of a list", async () => {
    const names = (settings: object) => reader(settings).of({}).names("names");
    should(await names({ names: "one, two" })).deepEqual(["one", "two"]);
    should(await names({ names: '["one, two", " three ", ""]', namesType: "json" })).deepEqual([
      ...["one, two", "three"],
    ]);
  });

  it("refuse a variable beside other values, which Node-RED does not replace", async () => {
    const addresses = reader({ addresses: `${ADDRESS}, \${OTHER}` })
      .of({})
      .names("addresses");
    await should(addresses).rejectedWith({ code: "INVALID_FIELD" });
  });
});
