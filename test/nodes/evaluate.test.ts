import type { Node, NodeAPI } from "node-red";
import should from "should";
import {
  evaluate,
  evaluateOptional,
  evaluatePresent,
  optionOf,
  shownValue,
} from "../../nodes/common/fields/evaluate.ts";

describe("the value of a typed input", () => {
  type Callback = (error: Error | null, value?: unknown) => void;
  const RED = {
    _: (key: string, words: object) => `${key} ${JSON.stringify(words)}`,
    util: {
      evaluateNodeProperty: (name: string, _type: string, _node: Node, msg: object, done: Callback) =>
        done(null, (msg as Record<string, unknown>)[name]),
    },
  } as unknown as NodeAPI;
  const context = { RED, node: {} as Node, t: RED._ };
  const found = (payload: unknown) =>
    evaluate(context, { _msgid: "1", payload }, { label: "Event", value: "payload", type: "msg" });

  it("is what the message holds", async () => {
    const event = { event_id: "1" };
    should(await found(event)).equal(event);
    should(await found(undefined)).be.undefined();
  });

  it("is absent only where the form leaves the field empty", async () => {
    const typed = (value: string, type = "msg") => ({ label: "Value", value, type });
    const msg = (payload: unknown) => ({ _msgid: "1", payload });
    for (const nothing of [undefined, null, Number.NaN]) {
      await should(evaluatePresent(context, msg(nothing), typed("payload"))).be.rejectedWith({
        code: "MISSING_VALUE",
      });
    }
    for (const nothing of [undefined, null, "", "  "]) {
      await should(evaluateOptional(context, msg(nothing), typed("payload"))).be.rejectedWith({
        code: "MISSING_VALUE",
      });
    }
    for (const kept of [0, false, "", [], {}]) {
      should(await evaluatePresent(context, msg(kept), typed("payload"))).equal(kept);
    }
    should(await evaluateOptional(context, msg(0), typed("payload"))).equal("0");
    should(await evaluateOptional(context, msg(1), typed(" "))).be.undefined();
    // Node-RED would read 0.
    should(await evaluatePresent(context, msg(1), typed("", "num"))).be.undefined();
  });

  it("is refused where it would be awaited, perhaps forever", async () => {
    // By a computed name: the linter forbids objects that can be awaited.
    const then = "then";
    for (const odd of [new Promise(() => {}), Promise.resolve(1), { [then]() {} }]) {
      await should(found(odd)).be.rejectedWith(/promise/, { code: "INVALID_FIELD" });
    }
  });
});

describe("a value that is not a field of the table", () => {
  const RED = { _: (key: string, words: object) => `${key} ${JSON.stringify(words)}` } as unknown as NodeAPI;
  const unit = (value: unknown) => optionOf(RED._, "calls[0].value.unit", value, ["ether", "wei"]);

  it("is one of the options, exactly as written", () => {
    should(unit("ether")).equal("ether");
    for (const odd of ["Ether", " wei", "", undefined, null, 0, ["wei"]]) {
      should(() => unit(odd)).throw(/common\.error\.option.*"label":"calls\[0\]\.value\.unit"/, {
        code: "INVALID_FIELD",
      });
    }
  });

  it("is shown in an error as text, and a long one only in part", () => {
    should(shownValue({ to: 1 })).equal('{"to":1}');
    should(shownValue(undefined)).equal("undefined");
    should(shownValue("0".repeat(100))).equal("0".repeat(100));
    should(shownValue(Array(1000).fill("many"))).match(/^\["many",.{92}…$/);
  });
});
