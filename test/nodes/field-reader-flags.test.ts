import type { Node, NodeAPI, NodeDef } from "node-red";
import should from "should";
import { fieldReader } from "../../nodes/common/fields/field-reader.ts";
import { describeNode } from "../../nodes/common/shared/fields.ts";

describe("a flag of a node", () => {
  const NODE = describeNode({
    type: "crec-test",
    version: 1,
    fields: { check: { kind: "boolean", default: true }, repeat: { kind: "boolean", default: false } },
  });
  const flags = (settings: object) => {
    const [RED, node] = [{ _: (key: string) => key } as NodeAPI, {} as Node];
    const fields = fieldReader({ RED, node, t: RED._ }, NODE, settings as NodeDef);
    return [fields.flag("check"), fields.flag("repeat")];
  };

  it("is its default where the value is missing, or neither true nor false", () => {
    should(flags({})).deepEqual([true, false]);
    for (const odd of [null, "", "false", "no", {}]) {
      should(flags({ check: odd, repeat: odd })).deepEqual([true, false]);
    }
  });

  it("is true or false where the value is, also as 1 or 0, and as the text true of a variable", () => {
    for (const off of [false, 0]) should(flags({ check: off, repeat: off })).deepEqual([false, false]);
    for (const on of [true, 1, "true"]) should(flags({ check: on, repeat: on })).deepEqual([true, true]);
  });
});
