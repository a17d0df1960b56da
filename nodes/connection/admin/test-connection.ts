import type { NodeAPI } from "node-red";
import type { CrecClient, CrecClientOptions, Network } from "../../../src/index.ts";
import { answerForms, fieldsOf } from "../../lib/admin/answer.ts";
import { loadLibrary } from "../../lib/runtime/library.ts";
import { nodeError } from "../../lib/shared/errors.ts";
import type { Tested } from "../../lib/shared/form-types.ts";
import { type Diagnosis, diagnose } from "./diagnosis.ts";
import { testedSettings } from "./tested-settings.ts";

/** `POST /crec/connection/test`: tests the settings in the form, and answers what works or what is wrong. */
export function registerConnectionTest(RED: NodeAPI): void {
  answerForms(RED, "post", "/crec/connection/test", "crec.write", ({ body }) => test(RED, body));
}

/** @throws the diagnosis, where the connection does not work */
async function test(RED: NodeAPI, body: unknown): Promise<Tested> {
  const settings = testedSettings(RED, fieldsOf(body));
  const { CrecClient } = await loadLibrary();
  const client = new CrecClient(settings);
  try {
    // Without the account service most calls work: that is a warning. Without networks none does.
    const account = aboutAccount(client, settings);
    const networks = await client.networks.list();
    return { networks: networks.map(networkOf), ...(await account) };
  } catch (error) {
    const { baseUrl: url, proxy } = settings;
    const found = diagnose(error, { url, field: "base URL", proxied: isProxied(proxy) });
    const better = found.code === "NO_SUCH_SERVICE" ? await betterAddress(settings) : undefined;
    const { code, message } = better ?? found;
    throw nodeError(code, message, error);
  } finally {
    await client.close();
  }
}

type AboutAccount = Pick<Tested, "account" | "organization" | "warning">;

async function aboutAccount(client: CrecClient, settings: CrecClientOptions): Promise<AboutAccount> {
  const { graphqlUrl: url, proxy } = settings;
  if (url === undefined) return {};
  try {
    // Not every service has the organization: without it the form cannot fill it in, which is not an error.
    const organization = client.account.organization().catch(() => null);
    const { displayName, emailAddress, memberId } = (await client.account.details()) ?? {};
    const { organizationId, tenantId } = (await organization) ?? {};
    return {
      account: displayName || emailAddress || memberId || "",
      ...(organizationId && tenantId ? { organization: { organizationId, tenantId } } : {}),
    };
  } catch (error) {
    return { warning: diagnose(error, { url, field: "account URL", proxied: isProxied(proxy) }) };
  }
}

/** The usual mistake: `/v1` at the end of the address is missing or wrong. The other address is asked without the key. */
async function betterAddress(settings: CrecClientOptions): Promise<Diagnosis | undefined> {
  const { CrecClient } = await loadLibrary();
  const { baseUrl: url, timeoutMs = 0 } = settings;
  const trimmed = url.replace(/\/+$/, "");
  const other = /\/v1$/.test(trimmed) ? trimmed.slice(0, -"/v1".length) : `${trimmed}/v1`;
  const { graphqlUrl: _unasked, ...rest } = settings;
  const client = new CrecClient({ ...rest, baseUrl: other });
  try {
    await client.health({ timeoutMs: Math.min(timeoutMs, 3_000) });
    const message = `${url} answers, but is not the channel service. ${other} is: use it as the base URL.`;
    return { code: "NO_SUCH_SERVICE", message };
  } catch {
    return undefined;
  } finally {
    await client.close();
  }
}

function networkOf({ name, type, chain_selector }: Network) {
  return { name: String(name ?? ""), ...(type ? { type } : {}), chainSelector: chain_selector };
}

/** Whether a proxy was chosen. One from the environment may not apply to this address. */
function isProxied(proxy: CrecClientOptions["proxy"]): boolean {
  return proxy !== undefined && proxy !== "environment";
}
