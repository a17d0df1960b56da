import { postJson, requestFailure } from "../lib/editor/admin-requests.ts";
import type { EditedNode } from "../lib/editor/api.ts";
import { inputOf, partOf } from "../lib/editor/form-fields.ts";
import type { Answer, Tested } from "../lib/shared/form-types.ts";
import { fieldTexts, fillIn } from "./editor-fields.ts";
import { NODE } from "./fields.ts";

const TESTED = ["baseUrl", "graphqlUrl", "apiKey", "tls", "proxy", "timeout"] as const;
const ORGANIZATION = ["orgId", "creTenantId"] as const;
const ERROR = "var(--red-ui-text-color-error)";
const SUCCESS = "var(--red-ui-text-color-success)";
const WARNING = "var(--red-ui-text-color-warning)";

/** The button "Test connection" and its result. */
export function connectionTest(node: EditedNode): void {
  const result = partOf(NODE, "test-result");
  const fieldText = fieldTexts([...TESTED, ...ORGANIZATION]);
  let asked = 0;
  partOf(NODE, "test").on("click", () => {
    asked += 1;
    const question = asked;
    say(result, node._("connection.test.running"));
    const body = Object.fromEntries(TESTED.map((name) => [name, fieldText(name)]));
    postJson<Tested>("crec/connection/test", { id: node.id, ...body }).then(
      // An answer about settings that have changed since is not shown.
      (answer) => question === asked && show(node, result, answer, fieldText),
      (failure: unknown) =>
        question === asked && say(result, requestFailure(node, failure, "crec.write"), ERROR),
    );
  });
  const discard = (): void => {
    asked += 1;
    result.empty();
  };
  for (const name of TESTED) inputOf(name).on("input change", discard);
}

/** Built from text nodes: names from the service must not become HTML. */
function show(
  node: EditedNode,
  result: JQuery,
  answer: Answer<Tested>,
  fieldText: (name: (typeof ORGANIZATION)[number]) => string,
): void {
  if (answer.problem !== undefined) {
    say(result, answer.problem, ERROR);
    return;
  }
  const { account, networks, organization, warning } = answer;
  say(result, node._("connection.test.ok"), SUCCESS);
  const line = (text: string) => $("<div>").text(text).appendTo(result);
  if (warning) line(node._("connection.test.warning", { message: warning.message })).css("color", WARNING);
  if (account) line(node._("connection.test.account", { account }));
  if (account === "") line(node._("connection.test.nameless"));
  if (networks.length === 0) line(node._("connection.test.no-networks"));
  for (const network of networks) {
    line(node._(network.type ? "connection.test.typed-network" : "connection.test.network", network));
  }
  if (!organization) return;
  const { organizationId: orgId, tenantId: creTenantId } = organization;
  const isSame = fieldText("orgId") === orgId && fieldText("creTenantId") === creTenantId;
  if (isSame || fieldText("orgId").startsWith("${")) return;
  $('<button type="button" class="red-ui-button red-ui-button-small">')
    .text(node._("connection.test.fill-in"))
    .on("click", () => fillIn({ orgId, creTenantId }))
    .appendTo(result);
}

function say(result: JQuery, text: string, color = ""): void {
  result.empty().append($("<div>").text(text).css("color", color));
}
