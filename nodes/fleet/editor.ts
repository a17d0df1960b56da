import type { EditedNode } from "../common/editor/api.ts";
import { inputOf } from "../common/editor/form-fields.ts";
import { problemUnder } from "../common/editor/form-rows.ts";
import { TYPED } from "../common/editor/live-check.ts";
import type { NodeForm } from "../common/editor/node-form.ts";
import { atPresent, isReference } from "../common/editor/validate.ts";
import { isChosen } from "../common/shared/config-choice.ts";
import { isEngineUrl, isRedisUrl, isWithoutTls } from "../common/shared/engine-url.ts";
import { STORED_PASSWORD } from "../common/shared/stored-password.ts";
import { withoutMark } from "../common/shared/typed-key.ts";
import { keepSecretsAtTheirServers, markTypedFleetSecrets } from "./editor-secrets.ts";
import { fleetTest } from "./editor-test.ts";

export const form: NodeForm = {
  checks: { url: urlProblem },
  opened(node) {
    fleetTest(node);
    keepSecretsAtTheirServers(node);
    showUrlProblem(node);
  },
  saved: markTypedFleetSecrets,
};

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
