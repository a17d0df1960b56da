import type { Node, NodeAPI, NodeDef } from "node-red";
import should from "should";
import { type FieldReader, fieldReader } from "../../nodes/common/fields/field-reader.ts";
import { isAddress } from "../../nodes/common/shared/field-checks.ts";
import { describeNode } from "../../nodes/common/shared/fields.ts";

const NODE = describeNode({
  type: "crec-test",
  version: 1,
  fields: {
    mode: { kind: "select", options: ["wait", "send"], default: "wait" },
    wait: { kind: "number", default: "10", least: 1, shown: { mode: "wait" } },
    until: { kind: "select", options: ["done", "sent"], default: "done", shown: { mode: "wait" } },
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
    const RED = { _: (key: string) => key, util: { evaluateNodeProperty }, nodes: { eachNode: () => {} } };
    const context = { RED: RED as unknown as NodeAPI, node: {} as Node, t: RED._ };
    return fieldReader(context, NODE, settings as NodeDef);
  };

  it("count as typed in only while the form shows them: nobody could correct the others", () => {
    should(reader({ mode: "send", wait: "soon" }).number("wait")).equal(10);
    // Without a mode, it is the default.
    for (const shown of [reader({ wait: "soon" }), reader({ mode: "", wait: "soon" })]) {
      should(() => shown.number("wait")).throw({ code: "INVALID_FIELD" });
    }
  });

  it("refuse a choice that no form offers, also where it is not shown", () => {
    should(() => reader({ mode: "send", until: "maybe" }).choice("until")).throw({ code: "INVALID_FIELD" });
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
