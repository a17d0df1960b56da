import type { EditedNode } from "../../common/editor/api.ts";
import { addCheck, listOfChecks } from "../../common/editor/check-list.ts";
import { fieldTexts, fillIn, partOf } from "../../common/editor/form-fields.ts";
import { inputOf } from "../../common/editor/form-rows.ts";
import { postJson, requestFailure } from "../../common/editor/lookups/admin-requests.ts";
import { TYPED } from "../../common/editor/while-open.ts";
import type { Answer, TestCheck, Tested } from "../../common/shared/form-types.ts";
import type { FamilyDef } from "../../common/shared/stored-values.ts";
import { isReference } from "../../common/shared/variables.ts";
import { NODE, VERIFICATION_FIELDS } from "../fields.ts";

const TESTED = ["name", "baseUrl", "graphqlUrl", "apiKey", "tls", "proxy", "timeout"] as const;

type State = TestCheck["state"];
type FieldText = (name: (typeof TESTED)[number] | (typeof VERIFICATION_FIELDS)[number]) => string;

/** The button "Test connection" and its result. */
export function connectionTest(node: EditedNode, families: () => FamilyDef[]): void {
  const result = partOf(NODE, "test-result");
  const names = [...TESTED, ...VERIFICATION_FIELDS];
  const fieldText = fieldTexts(names);
  let asked = 0;
  partOf(NODE, "test").on("click", () => {
    asked += 1;
    const question = asked;
    result.empty().append($("<div>").text(node._("connection.test.running")));
    const body = Object.fromEntries(names.map((name) => [name, fieldText(name)]));
    postJson<Tested>("crec/connection/test", { id: node.id, ...body, families: families() }).then(
      // An answer about settings that have changed since is not shown.
      (answer) => question === asked && show(node, result, answer, fieldText),
      (failure: unknown) =>
        question === asked && showProblem(node, result, requestFailure(node, failure, "crec.write")),
    );
  });
  const discard = (): void => {
    asked += 1;
    result.empty();
  };
  const before = new Map(names.map((name) => [name, fieldText(name)]));
  for (const name of names)
    inputOf(name).on(TYPED, () => {
      // A key that changes nothing, such as Tab, leaves the result.
      if (before.get(name) === fieldText(name)) return;
      before.set(name, fieldText(name));
      discard();
    });
}

/** A list of what was checked. Built from text nodes: names from the service must not become HTML. */
function show(node: EditedNode, result: JQuery, answer: Answer<Tested>, fieldText: FieldText): void {
  if (answer.problem !== undefined) {
    showProblem(node, result, answer.problem);
    return;
  }
  const { networks, warning, checks, organization = {} } = answer;
  const list = listOfChecks(result.empty());
  const line = (state: State, text: string) => addCheck(node, list, state, text);
  line("ok", connected(node, answer));
  if (networks.length === 0) line("problem", node._("connection.test.no-networks"));
  if (warning) line("problem", node._("connection.test.warning", { message: warning.message }));
  for (const { state, text, values } of checks) line(state, node._(`connection.check.${text}`, values));
  const { organizationId: orgId, tenantId: creTenantId } = organization;
  const known = { ...(orgId ? { orgId } : {}), ...(creTenantId ? { creTenantId } : {}) };
  const isSame = Object.entries(known).every(([name, value]) => fieldText(name as "orgId") === value);
  if (isSame || isReference(fieldText("orgId")) || orgId === undefined) return;
  $('<button type="button" class="red-ui-button red-ui-button-small">')
    .text(node._(creTenantId ? "connection.test.fill-in" : "connection.test.fill-in-organization"))
    .on("click", () => {
      fillIn(known);
      // The result was about other settings: it is gone, and the button with it.
      partOf(NODE, "test").trigger("focus");
    })
    .appendTo(result);
}

/** The connection works: whose key it is, and for which networks. */
function connected(node: EditedNode, { account, networks }: Tested): string {
  const names = networks.map((network) =>
    node._(network.type ? "connection.test.typed-network" : "connection.test.network", network),
  );
  const parts = [
    node._("connection.test.ok"),
    ...(account ? [node._("connection.test.account", { account })] : []),
    ...(account === "" ? [node._("connection.test.nameless")] : []),
    ...(names.length > 0
      ? [node._("connection.test.networks", { count: names.length, names: names.join("; ") })]
      : []),
  ];
  return parts.join(" ");
}

function showProblem(node: EditedNode, result: JQuery, text: string): void {
  addCheck(node, listOfChecks(result.empty()), "problem", text);
}
