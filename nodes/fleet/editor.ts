import type { EditedNode } from "../common/editor/api.ts";
import { fieldTexts, partOf } from "../common/editor/form-fields.ts";
import { inputOf, problemUnder } from "../common/editor/form-rows.ts";
import { postJson, requestFailure } from "../common/editor/lookups/admin-requests.ts";
import type { NodeForm } from "../common/editor/node-form.ts";
import { askForReport, keepSecrets, markTypedSecrets } from "../common/editor/values/kept-secrets.ts";
import { atPresent } from "../common/editor/values/validate.ts";
import { TYPED } from "../common/editor/while-open.ts";
import type { FleetTested } from "../common/shared/form-types.ts";
import { isEngineUrl, isRedisUrl, isWithoutTls } from "../common/shared/text.ts";
import { isChosen, isReference, STORED_PASSWORD, withoutMark } from "../common/shared/variables.ts";
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

const SECRETS = ["url", "sentinelPassword"] as const;

export const form: NodeForm = {
  checks: { url: urlProblem },
  opened(node) {
    fleetTest(node);
    keepSecretsAtTheirServers(node);
    showUrlProblem(node);
  },
  saved: markTypedFleetSecrets,
};

/** The button "Test" and its result. */
function fleetTest(node: EditedNode): void {
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

/** TLS and, with sentinels, the fields of the form say who can read the secrets, beside the URL itself. */
function keepSecretsAtTheirServers(node: EditedNode): void {
  const onLost = keepSecrets({
    secrets: SECRETS,
    places: ["servers", "sentinels", "master", "tls"],
    sentence: node._("fleet.error.again"),
  });
  askForReport(`crec/fleet/${encodeURIComponent(node.id)}/secrets`, onLost);
}

function markTypedFleetSecrets(): void {
  markTypedSecrets(SECRETS);
}

/** What is wrong with the URL, as far as a form can know it. One that is stored was right when it was typed. */
function urlProblem(node: EditedNode, value: unknown): string | undefined {
  const url = withoutMark(String(value ?? "").trim());
  if (url === "" || url === STORED_PASSWORD || isReference(url)) return undefined;
  if (!isEngineUrl(url)) return node._("fleet.error.url");
  if (isChosen(atPresent(node, "tls")) && isWithoutTls(url)) return node._("fleet.error.without-tls");
  const isBySentinel = atPresent(node, "servers") === "sentinel";
  return isBySentinel && !isRedisUrl(url) ? node._("fleet.error.servers-not-redis") : undefined;
}

/** The box shows dots: without a sentence nobody would see what is wrong. */
function showUrlProblem(node: EditedNode): void {
  const url = inputOf("url");
  const problem = problemUnder(url);
  const show = (): void => problem.say(urlProblem(node, url.val()) ?? "");
  url.on(TYPED, show);
  for (const name of ["servers", "tls"] as const) inputOf(name).on("change", show);
  show();
}
