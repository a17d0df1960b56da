import type { Answer, Checked } from "../shared/form-types.ts";
import { postJson } from "./admin-requests.ts";
import type { EditedNode } from "./api.ts";
import { problemUnder } from "./form-rows.ts";
import { liveCheck, TYPED } from "./live-check.ts";

/** Says under a box that an address in it is mistyped: a wrong checksum only the library can tell. */
export function checkAddress(node: EditedNode, field: JQuery): void {
  const problem = problemUnder(field);
  const check = liveCheck<Answer<Checked>>(
    field,
    () => {
      const value = String(field.val() ?? "").trim();
      const question = { name: node._("common.label.address"), type: "address", value, valueType: "str" };
      // What begins otherwise may be a name.
      return value.startsWith("0x") ? postJson<Checked>("crec/abi/check", question) : undefined;
    },
    (answer) => problem.say(answer?.problem ?? ""),
  );
  field.on(TYPED, () => check.soon());
  check.now();
}
