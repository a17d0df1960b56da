import { postJson, requestFailure } from "../common/editor/admin-requests.ts";
import type { EditedNode } from "../common/editor/api.ts";
import { fieldTexts } from "../common/editor/field-texts.ts";
import { inputOf, partOf } from "../common/editor/form-fields.ts";
import { TYPED } from "../common/editor/live-check.ts";
import type { FleetTested } from "../common/shared/form-types.ts";
import { NODE } from "./fields.ts";

const TESTED = [
  "url",
  "servers",
  "sentinels",
  "master",
  "sentinelPassword",
  "tls",
  "lease",
  "namespace",
] as const;

/** The button "Test" and its result. */
export function fleetTest(node: EditedNode): void {
  const result = partOf(NODE, "test-result");
  const fieldText = fieldTexts(TESTED);
  let asked = 0;
  const show = (lines: readonly string[], tone?: "success" | "error"): void => {
    result.empty().css("color", tone ? `var(--red-ui-text-color-${tone})` : "");
    // Text nodes: names of other copies must not become HTML.
    for (const line of lines) $("<div>").css("overflow-wrap", "anywhere").text(line).appendTo(result);
  };
  partOf(NODE, "test").on("click", () => {
    asked += 1;
    const question = asked;
    show([node._("fleet.test.running")]);
    const body = Object.fromEntries(TESTED.map((name) => [name, fieldText(name)]));
    postJson<FleetTested>("crec/fleet/test", { id: node.id, ...body }).then(
      (answer) => {
        // An answer about settings that have changed since is not shown.
        if (question !== asked) return;
        if (answer.problem === undefined) show(linesOf(node, answer), "success");
        else show([answer.problem], "error");
      },
      (failure: unknown) => {
        if (question === asked) show([requestFailure(node, failure, "crec.write")], "error");
      },
    );
  });
  const before = new Map(TESTED.map((name) => [name, fieldText(name)]));
  for (const name of TESTED)
    inputOf(name).on(TYPED, () => {
      // A key that changes nothing, such as Tab, leaves the result.
      if (before.get(name) === fieldText(name)) return;
      before.set(name, fieldText(name));
      asked += 1;
      show([]);
    });
}

function linesOf(node: EditedNode, { engine, roundTripMs }: FleetTested): string[] {
  return [node._("fleet.test.ok"), node._("fleet.test.engine", { engine, ms: roundTripMs })];
}
