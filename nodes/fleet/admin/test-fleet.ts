import { randomUUID } from "node:crypto";
import type { NodeAPI } from "node-red";
import { answerForms, fieldsOf, textIn } from "../../lib/admin/answer.ts";
import { deployedCredential, deployedVariable, requireVariable } from "../../lib/admin/deployed.ts";
import { type FleetNode, type FleetSettings, urlOfEnvironment } from "../../lib/runtime/fleet.ts";
import { loadLibrary } from "../../lib/runtime/library.ts";
import { isWithTls } from "../../lib/shared/engine-url.ts";
import { type CodedError, nodeError } from "../../lib/shared/errors.ts";
import type { FleetTested } from "../../lib/shared/form-types.ts";
import { STORED_PASSWORD } from "../../lib/shared/stored-password.ts";
import { withoutMark } from "../../lib/shared/typed-key.ts";
import { isReference, requireSet } from "../../lib/shared/variables.ts";
import { settingsOf, settingsProblem } from "../settings.ts";

type Fields = Readonly<Record<string, unknown>>;

/** `POST /crec/fleet/test`: tests the settings in the form, and answers what was found, or what is wrong. */
export function registerFleetTest(RED: NodeAPI): void {
  answerForms(RED, "post", "/crec/fleet/test", "crec.write", ({ body }) => test(RED, fieldsOf(body)));
}

async function test(RED: NodeAPI, fields: Fields): Promise<FleetTested> {
  const { url, namespace, sentinel } = testedSettings(RED, fields);
  const { openSharedState } = await loadLibrary();
  const shared = await openSharedState(url, {
    ...(namespace === "" ? {} : { namespace }),
    ...(sentinel ? { sentinel } : {}),
  });
  try {
    // The first call also connects.
    await shared.leave(NOBODY);
    const asked = performance.now();
    await shared.leave(NOBODY);
    const roundTripMs = Math.round((performance.now() - asked) * 10) / 10;
    return { engine: shared.label, roundTripMs };
  } finally {
    await shared.close();
  }
}

/** A copy that is on no list. */
const NOBODY = { id: randomUUID(), name: "test" };

/**
 * The settings of a form, deployed or not.
 * @throws DEPLOY_FIRST, FLEET_INCOMPLETE, KEY_MISSING, VARIABLE_MISSING
 */
function testedSettings(RED: NodeAPI, fields: Fields): FleetSettings {
  const id = textIn(fields.id);
  const deployed = RED.nodes.getNode(id) as Partial<FleetNode> | null;
  const field = (name: string): string => {
    const typed = textIn(fields[name]);
    return isReference(typed) ? requireVariable(deployedVariable(RED, id, name, typed), typed) : typed;
  };
  const isBySentinel = textIn(fields.servers) === "sentinel";
  const [sentinels, master] = isBySentinel ? [field("sentinels"), field("master")] : ["", ""];
  const common = { isBySentinel, sentinels, master, namespace: field("namespace"), leaseMs: 0 };
  const isSame = isDeployedWith(deployed, settingsOf({ ...common, url: "", sentinelPassword: "" }));
  /** What is stored, which the author of the request may not know, goes to the deployed servers only. */
  const secret = (name: "url" | "sentinelPassword", isSameWay = isSame): string => {
    const typed = textIn(fields[name]);
    const isOwn = typed !== "" && typed !== STORED_PASSWORD && !isReference(typed);
    if (isOwn) return typed;
    const otherwise = name === "url" ? urlOfEnvironment() : "";
    if (isReference(typed)) requireVariable(deployedCredential(RED, id, name, typed), typed);
    const stored = typed === "" ? otherwise : requireSet(withoutMark(deployed?.credentials?.[name] ?? ""));
    if (stored !== "" && !isSameWay) throw typeAgain(deployed);
    return stored;
  };
  const url = secret("url");
  // Another URL must not make the password of the sentinels readable on its way.
  const isAsSafe = isSame && isWithTls(url) === isWithTls(deployed?.fleet?.settings.url ?? "");
  const sentinelPassword = isBySentinel ? secret("sentinelPassword", isAsSafe) : "";
  const input = { ...common, url, sentinelPassword };
  const problem = settingsProblem(input);
  if (problem) throw problem;
  return settingsOf(input);
}

/** Whether what is stored would go where the deployed node sends it. */
function isDeployedWith(deployed: Partial<FleetNode> | null, { sentinel }: FleetSettings): boolean {
  if (!deployed?.fleet) return sentinel === undefined;
  const { problem, settings } = deployed.fleet;
  const place = (one: FleetSettings["sentinel"]) => JSON.stringify([one?.sentinels, one?.name]);
  return problem === undefined && place(settings.sentinel) === place(sentinel);
}

function typeAgain(deployed: Partial<FleetNode> | null): CodedError {
  const { problem } = deployed?.fleet ?? {};
  if (problem?.code === "KEY_NEEDS_CONFIRMATION") return problem;
  return nodeError(
    "KEY_MISSING",
    "The servers are not those that are deployed. Enter the URL and the password again, or deploy first: what is stored is only sent to the servers it was entered for.",
  );
}
