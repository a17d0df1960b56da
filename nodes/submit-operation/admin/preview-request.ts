import { invalidRequest } from "../../common/admin/answer.ts";
import type { CallDef, Unit, Value } from "../../common/shared/stored-values.ts";
import { callCountProblem } from "../fields.ts";
import type { ContractText, PreviewRequest, WalletText } from "../preview-types.ts";

const UNITS: readonly unknown[] = ["token", "wei", "gwei", "ether"] satisfies Unit[];

type Fields = Readonly<Record<string, unknown>>;

/**
 * The checked request for a preview.
 * @throws INVALID_REQUEST naming what a form does not send
 */
export function previewRequest(body: unknown): PreviewRequest {
  const form = objectAt(body ?? {}, "The request");
  const given = listAt(form.calls ?? [], "calls");
  const problem = callCountProblem(given.length);
  if (problem) invalidRequest(problem);
  const contracts = Object.entries(objectAt(form.contracts ?? {}, "contracts"));
  return {
    ...textsOf(form, ["source", "channel", "transactions", "transactionsType", "deadline"], ""),
    calls: given.map((call, index) => callAt(call, `calls[${index}]`)),
    contracts: Object.fromEntries(contracts.map(([id, text]) => [id, contractAt(text, `contracts.${id}`)])),
    ...(form.wallet === undefined ? {} : { wallet: walletAt(form.wallet) }),
  };
}

function contractAt(given: unknown, path: string): ContractText {
  return textsOf(
    objectAt(given, path),
    ["name", "chainSelector", "address", "abi", "decimals", "amounts"],
    path,
  );
}

function walletAt(given: unknown): WalletText {
  return textsOf(objectAt(given, "wallet"), ["id", "chainSelector", "wallet", "connection"], "wallet");
}

function callAt(given: unknown, path: string): CallDef {
  const call = objectAt(given, path);
  const values = <Name extends string>(...names: Name[]) =>
    Object.fromEntries(
      names.flatMap((name) =>
        call[name] === undefined ? [] : [[name, valueAt(call[name], `${path}.${name}`)]],
      ),
    ) as Partial<Record<Name, Value>>;
  if (call.kind === "raw") return { kind: "raw", ...values("to", "data", "amount") };
  const args = listAt(call.args ?? [], `${path}.args`);
  return {
    ...{ kind: "contract", ...textsOf(call, ["contract", "function"], path) },
    args: args.map((arg, index) => valueAt(arg, `${path}.args[${index}]`)),
    ...values("address", "amount"),
  };
}

function valueAt(given: unknown, path: string): Value {
  const value = objectAt(given, path);
  const { unit } = value;
  return {
    ...textsOf(value, ["value", "type"], path),
    ...(UNITS.includes(unit) ? { unit: unit as Unit } : {}),
  };
}

/** Only properties that exist. Numbers are accepted as text. */
function textsOf<Name extends string>(
  fields: Fields,
  names: readonly Name[],
  path: string,
): Partial<Record<Name, string>> {
  const texts: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const text = fields[name];
    if (text === undefined) continue;
    if (typeof text !== "string" && typeof text !== "number") {
      invalidRequest(`${[path, name].filter(Boolean).join(".")} must be text.`);
    }
    texts[name] = String(text);
  }
  return texts;
}

function objectAt(given: unknown, path: string): Fields {
  if (typeof given === "object" && given !== null && !Array.isArray(given)) return given as Fields;
  return invalidRequest(`${path} must be an object.`);
}

function listAt(given: unknown, path: string): readonly unknown[] {
  return Array.isArray(given) ? given : invalidRequest(`${path} must be a list.`);
}
