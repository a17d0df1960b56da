import type { CrecClient, CrecClientOptions, Network, VerifyConfig } from "../../../src/index.ts";
import { answerForms, fieldsOf, textIn } from "../../common/admin/answer.ts";
import { concealing } from "../../common/admin/deployed.ts";
import type { NodeRedContext } from "../../common/context.ts";
import { loadLibrary } from "../../common/library.ts";
import { nodeError, type ProxyFault, proxyFault, toCodedError } from "../../common/shared/errors.ts";
import type { Tested } from "../../common/shared/form-types.ts";
import type { FamilyDef } from "../../common/shared/stored-values.ts";
import { isReference } from "../../common/shared/variables.ts";
import { familyNameProblem, familySets } from "../families.ts";
import { accountChecks, proofChecks } from "./proof-checks.ts";
import { formVerification, testedSettings } from "./tested-settings.ts";

/** `POST /crec/connection/test`: tests the settings in the form, and answers what works or what is wrong. */
export function registerConnectionTest(context: NodeRedContext): void {
  answerForms(context.RED, "post", "/crec/connection/test", "crec.write", ({ body }) => test(context, body));
}

/** @throws the diagnosis, where the connection does not work */
async function test(context: NodeRedContext, body: unknown): Promise<Tested> {
  const fields = fieldsOf(body);
  const settings = testedSettings(context, fields);
  const form = formVerification(context, body);
  const families = formFamilies(fields.families);
  const conceal = concealing([
    { written: textIn(fields.baseUrl), value: settings.baseUrl },
    { written: textIn(fields.graphqlUrl), value: settings.graphqlUrl ?? "" },
  ]);
  const { CrecClient } = await loadLibrary();
  const client = new CrecClient(settings);
  try {
    // Without the account service most calls work: that is a warning. Without networks none does.
    const account = aboutAccount(client, settings);
    const networks = await client.networks.list();
    const proofs = await proofChecks(client, form, families);
    const { warning, ...known } = await account;
    const hasAccountUrl = settings.graphqlUrl !== undefined;
    return {
      networks: networks.map(networkOf),
      ...known,
      ...(warning ? { warning: { ...warning, message: conceal(warning.message) } } : {}),
      checks: [...accountChecks(form, known.organization, hasAccountUrl), ...proofs],
    };
  } catch (error) {
    const { baseUrl: url, proxy } = settings;
    const found = diagnose(error, { url, field: "base URL", proxied: isProxied(proxy) });
    const mayNameOther = found.code === "NO_SUCH_SERVICE" && !isReference(textIn(fields.baseUrl));
    const better = mayNameOther ? await betterAddress(settings) : undefined;
    const { code, message } = better ?? found;
    throw nodeError(code, conceal(message), error);
  } finally {
    await client.close();
  }
}

/** The sets of families in the form; undefined while a variable is in one: that is known once they are deployed. */
function formFamilies(given: unknown): VerifyConfig["families"] | undefined {
  const families = (Array.isArray(given) ? given : []).map((family): FamilyDef => {
    const texts = Object.entries(fieldsOf(family)).map(([name, value]) => [name, textIn(value)]);
    return Object.fromEntries(texts) as FamilyDef;
  });
  const hasVariable = families.some((family) => Object.values(family).some((text) => isReference(`${text}`)));
  return hasVariable || familyNameProblem(families) ? undefined : familySets(families);
}

type AboutAccount = Pick<Tested, "account" | "organization" | "warning">;

async function aboutAccount(client: CrecClient, settings: CrecClientOptions): Promise<AboutAccount> {
  const { graphqlUrl: url, proxy } = settings;
  if (url === undefined) return {};
  try {
    // Not every service tells the organization: then it cannot be compared, which is not an error.
    const organization = client.account.organization().catch(() => null);
    const { displayName, emailAddress, memberId } = (await client.account.details()) ?? {};
    const { organizationId, tenantId } = (await organization) ?? {};
    return {
      account: displayName || emailAddress || memberId || "",
      organization: { ...(organizationId ? { organizationId } : {}), ...(tenantId ? { tenantId } : {}) },
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

/** What is wrong: a sentence for people and a code for programs. */
type Diagnosis = { code: string; message: string };

/** The request: its address, the name of that field in sentences, and whether the form has a proxy. */
type Asked = { url: string; field: "base URL" | "account URL"; proxied: boolean };

/** Explains the failure of a call, and what a person can do about it in the connection's form. */
function diagnose(thrown: unknown, asked: Asked): Diagnosis {
  const error = toCodedError(thrown) as ReturnType<typeof toCodedError> & Answered;
  const cause = causeOf(error);
  const said = error.message.replaceAll("base URL", asked.field);
  const proxied = proxyFault(error) ?? (asked.proxied ? ofRelay(error, asked.url) : undefined);
  if (proxied) return { code: proxied, message: said };
  if (isForeign(error, cause)) return ofForeign(error, said, asked);
  if (error.code === "KEY_REFUSED" && asked.field === "account URL") return ACCOUNT_REFUSED;
  return { code: error.code, message: said };
}

type Cause = { code: string };

function causeOf({ cause }: Error): Cause {
  const { code } = (cause ?? {}) as Partial<Cause>;
  return { code: String(code ?? "") };
}

type Answered = { status?: number; type?: string; hop?: string };

type Failed = { code: string; message: string } & Answered;

/** A proxy answers with these when it cannot reach the service. */
const GATEWAY_STATUSES = [502, 503, 504];

/** The code, where a proxy that passes on requests, without a tunnel, answers itself: the service's answers have a type. */
function ofRelay({ status = 0, type }: Failed, url: string): ProxyFault | undefined {
  const isOwn = url.startsWith("http:") && type === undefined && GATEWAY_STATUSES.includes(status);
  return isOwn ? "PROXY_REFUSED" : undefined;
}

const ACCOUNT_REFUSED: Diagnosis = {
  code: "KEY_REFUSED",
  message:
    "The account service refused the API key. Correct the account URL, or clear it: only account details need it.",
};

/** The library says of these itself who answered: a login, or a proxy that takes no larger request. */
const EXPLAINED_STATUSES = [401, 407, 413];

/** Another service answered. An answer that is not HTTP has its own error. */
function isForeign({ code, status = 0 }: Failed, cause: Cause): boolean {
  if (code === "BAD_RESPONSE") return cause.code === "" && !EXPLAINED_STATUSES.includes(status);
  return status === 404 && code === "NOT_FOUND";
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

function ofForeign(error: Failed, said: string, { url, field }: Asked): Diagnosis {
  if (isRedirect(error.status ?? 0)) return { code: "NO_SUCH_SERVICE", message: said };
  const how = error.status === undefined ? "" : ` (HTTP ${error.status})`;
  const received = / It (?:has \d+ bytes.*|is empty)\.$/.exec(error.message)?.[0] ?? "";
  const what = `answers, but is not ${field === "base URL" ? "the channel" : "an account"} service`;
  const hint =
    field === "account URL"
      ? "Correct the account URL: it often ends with /graphql."
      : /\/v\d+\/*$/.test(url)
        ? "Correct the base URL: perhaps it must not end with /v1."
        : "Correct the base URL: perhaps it must end with /v1.";
  return { code: "NO_SUCH_SERVICE", message: `${url} ${what}${how}. ${hint}${received}` };
}
