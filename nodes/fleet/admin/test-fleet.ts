import { randomUUID } from "node:crypto";
import { answerForms, fieldsOf, textIn } from "../../common/admin/answer.ts";
import { deployedCredential, deployedVariable, requireVariable } from "../../common/admin/deployed.ts";
import type { NodeRedContext } from "../../common/context.ts";
import type { TlsOptions } from "../../common/fields/proxy-and-tls.ts";
import {
  type FleetNode,
  type FleetRef,
  type FleetSettings,
  inPlace,
  tlsOfEnvironment,
  tlsOfNode,
  urlOfEnvironment,
} from "../../common/fleet/fleet.ts";
import { openState } from "../../common/fleet/join-fleet.ts";
import { loadLibrary } from "../../common/library.ts";
import { type CodedError, nodeError, toCodedError } from "../../common/shared/errors.ts";
import type { FleetTested } from "../../common/shared/form-types.ts";
import { isWithTls } from "../../common/shared/text.ts";
import {
  isChosen,
  isReference,
  requireSet,
  STORED_PASSWORD,
  withoutMark,
} from "../../common/shared/variables.ts";
import { settingsOf, settingsProblem } from "../settings.ts";

type Fields = Readonly<Record<string, unknown>>;

/** `POST /crec/fleet/test`: tests the settings in the form, and answers what was found, or what is wrong. */
export function registerFleetTest(context: NodeRedContext): void {
  answerForms(context.RED, "post", "/crec/fleet/test", "crec.write", ({ body }) =>
    test(context, fieldsOf(body)),
  );
}

async function test(context: NodeRedContext, fields: Fields): Promise<FleetTested> {
  const settings = testedSettings(context, fields);
  const shared = await openState(await loadLibrary(), settings);
  try {
    // The first call also connects.
    await shared.leave(NOBODY);
    const asked = performance.now();
    await shared.leave(NOBODY);
    const roundTripMs = Math.round((performance.now() - asked) * 10) / 10;
    return { engine: shared.label, roundTripMs };
  } catch (thrown) {
    throw inPlace(toCodedError(thrown), false);
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
function testedSettings(context: NodeRedContext, fields: Fields): FleetSettings {
  const id = textIn(fields.id);
  const deployed = context.RED.nodes.getNode(id) as Partial<FleetNode> | null;
  const field = (name: string): string => {
    const typed = textIn(fields[name]);
    return isReference(typed)
      ? requireVariable(deployedVariable(context.RED, id, name, typed), typed)
      : typed;
  };
  const isBySentinel = textIn(fields.servers) === "sentinel";
  const [sentinels, master] = isBySentinel ? [field("sentinels"), field("master")] : ["", ""];
  const chosen = chosenTls(context, textIn(fields.tls));
  const tls = chosen ?? (textIn(fields.url) === "" ? tlsOfEnvironment() : undefined);
  const common = { isBySentinel, sentinels, master, tls, namespace: field("namespace"), leaseMs: 0 };
  const asked = settingsOf({ ...common, url: "", sentinelPassword: "" });
  const isSame = deployed?.fleet ? isDeployedWith(deployed.fleet, asked) : !isBySentinel && !chosen;
  /** What is stored, which the author of the request may not know, goes to the deployed servers only. */
  const secret = (name: "url" | "sentinelPassword", isSameWay = isSame): string => {
    const typed = textIn(fields[name]);
    const isOwn = typed !== "" && typed !== STORED_PASSWORD && !isReference(typed);
    if (isOwn) return typed;
    const otherwise = name === "url" ? urlOfEnvironment() : "";
    if (isReference(typed)) requireVariable(deployedCredential(context.RED, id, name, typed), typed);
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

/** @throws DEPLOY_FIRST, FLEET_INCOMPLETE */
function chosenTls(context: NodeRedContext, id: string): TlsOptions | undefined {
  if (!isChosen(id)) return undefined;
  if (context.RED.nodes.getNode(id)) return tlsOfNode(context.RED, id);
  throw nodeError("DEPLOY_FIRST", "The TLS configuration is not deployed yet. Deploy it, then test again.");
}

/** Whether what is stored would go where the deployed node sends it, and could be read by nobody else. */
function isDeployedWith({ problem, settings }: FleetRef, asked: FleetSettings): boolean {
  const way = ({ sentinel, tls }: FleetSettings) =>
    JSON.stringify([sentinel?.sentinels, sentinel?.name, tls]);
  return problem === undefined && way(settings) === way(asked);
}

function typeAgain(deployed: Partial<FleetNode> | null): CodedError {
  const { problem } = deployed?.fleet ?? {};
  if (problem?.code === "KEY_NEEDS_CONFIRMATION") return problem;
  return nodeError(
    "KEY_MISSING",
    "The servers or TLS are not those that are deployed. Enter the URL and the password again, or deploy first: what is stored is only sent to the servers it was entered for.",
  );
}
