import type { NodeAPI } from "node-red";
import { answerForms } from "../common/admin/answer.ts";
import { type NodeRedContext, nodeRedContext } from "../common/context.ts";
import type { SignerCredentials, SignerNode, SignerRef } from "../common/fields/config-nodes.ts";
import { type FieldReader, formContext } from "../common/fields/field-reader.ts";
import { lostCredentials, watchCredentials } from "../common/fields/lost-credentials.ts";
import { proxyProblem } from "../common/fields/proxy-and-tls.ts";
import { originalId } from "../common/keys/binding.ts";
import { storedSetting } from "../common/keys/destination.ts";
import { credentialsOf } from "../common/shared/field-rules.ts";
import type { SecretsReport } from "../common/shared/form-types.ts";
import { registerKeys } from "./admin/keys.ts";
import { registerSignerTest } from "./admin/signer-tests.ts";
import { registerWalletCheck } from "./admin/wallets.ts";
import { NODE, type SignerDef } from "./fields.ts";
import { keyServiceOf } from "./key-services.ts";
import { type DeployedSigner, openSigner, type PinnedKey, SharedSigner } from "./open-signer.ts";
import { secretsProblem } from "./secrets.ts";
import { destinationOf, receiversOf, transportOptions } from "./transport-options.ts";
import { valuesOf, valuesProblem } from "./values.ts";

export default function register(RED: NodeAPI): void {
  watchCredentials(RED);
  function ConstructSigner(this: DeployedSigner, def: SignerDef): void {
    RED.nodes.createNode(this, def);
    const context = formContext(RED, this, NODE, def);
    const { fields } = context;
    const values = valuesOf((name) => readText(this, fields, name));
    const way = transportOptions(RED.nodes, fields.settings);
    const service = keyServiceOf(values.kind);
    const written = (resolved: string, field: string, id = originalId(this)) =>
      storedSetting(RED, id, field, resolved).written;
    const destination = service && destinationOf(service, values, way, written);
    const problem =
      valuesProblem(values, (key) => RED._(key), { lost: lostCredentials(RED) }) ??
      (service && proxyProblem(RED.nodes, fields.settings.proxy, "signer")) ??
      (service && destination && secretsProblem(context, this, { service, values, destination }));
    // With any problem it is not known whether the secrets may be sent there.
    if (service && destination && problem === undefined) {
      this.receivers = receiversOf(service, values, destination);
      this.ambient = service.ambientSecret?.(values);
    }
    const pinned = service && pinnedKey(fields.settings);
    const shared = new SharedSigner(() => openSigner(values, way), pinned);
    this.signer = signerRef(shared, {
      ...{ problem, pinned },
      ...{ custodian: service?.custodian, mayAskPerson: service?.mayAskPerson === true },
    });
    this.on("close", () => shared.close());
  }
  RED.nodes.registerType<DeployedSigner, SignerDef, object, SignerCredentials>(
    "crec-signer",
    ConstructSigner,
    {
      credentials: credentialsOf(NODE),
    },
  );
  registerSignerForm(nodeRedContext(RED));
}

/** What the form of a signer asks. */
function registerSignerForm(context: NodeRedContext): void {
  registerKeys(context);
  registerSecretsReport(context);
  registerSignerTest(context);
  registerWalletCheck(context);
}

/** `GET /crec/signer/:id/secrets`: whether what is stored must be entered again. Never what is stored. */
function registerSecretsReport(context: NodeRedContext): void {
  answerForms(context.RED, "get", "/crec/signer/:id/secrets", "crec.read", ({ params }): SecretsReport => {
    const { signer } = (context.RED.nodes.getNode(params.id ?? "") ?? {}) as Partial<SignerNode>;
    return { needsConfirmation: signer?.problem?.code === "KEY_NEEDS_CONFIRMATION" };
  });
}

function signerRef(
  shared: SharedSigner,
  {
    problem,
    custodian,
    mayAskPerson,
    pinned,
  }: Pick<SignerRef, "problem" | "custodian" | "mayAskPerson"> & { pinned: PinnedKey | undefined },
): SignerRef {
  return {
    problem,
    custodian,
    mayAskPerson,
    knownAddress: async () => {
      if (custodian !== undefined) return pinned?.address || undefined;
      return problem ? undefined : (await shared.get().catch(() => undefined))?.address;
    },
    signer: async () => {
      if (problem) throw problem;
      return shared.get();
    },
  };
}

function readText(node: SignerNode, { settings }: FieldReader<typeof NODE>, name: string): string {
  const isSecret = name in credentialsOf(NODE);
  const value: unknown = isSecret
    ? node.credentials?.[name]
    : (settings as unknown as Record<string, unknown>)[name];
  return String(value ?? "").trim();
}

function pinnedKey({ address, publicKey }: SignerDef): PinnedKey {
  return { address: String(address ?? "").trim(), publicKey: publicKey || undefined };
}
