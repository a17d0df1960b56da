import { checksumAddress } from "../../abi/index.ts";
import { ArgumentError } from "../../errors.ts";
import type { Address, Hex } from "../../protocol/index.ts";
import type { OperationTypedData } from "../operation.ts";
import type { SignOptions } from "../signer.ts";
import {
  badAnswer,
  type CustodianAnswer,
  excerpt,
  fieldAt,
  isDenial,
  refusalOf,
  textAt,
} from "./custodian-answers.ts";
import { REMOTE, type Remote, type RemoteKey } from "./remote-eth1-sign.ts";
import { SignerError } from "./signer-error.ts";

/** In the order in which they are tried. */
export const SIGNING_METHODS = [
  "eth_signTypedData_v4",
  "eth_signTypedData",
  "account_signTypedData",
] as const;

export type RemoteSigningMethod = (typeof SIGNING_METHODS)[number];

/** A method, and whether it takes the document as JSON text or as an object. */
type Way = { method: RemoteSigningMethod; isText: boolean };

type RpcError = { code: number; message: string };

const ACCOUNT_METHODS = ["eth_accounts", "account_list"];
const SIGNATURE = /^0x[0-9a-f]{130}$/i;
/** So many accounts are named in an error. */
const SHOWN = 5;
/** "Method not found", and the same in EIP-1474 and EIP-1193. */
const METHOD_MISSING = [-32601, -32004, 4200];
const INVALID_PARAMS = -32602;
/** Ganache has no codes of its own for these. */
const METHOD_MISSING_TEXT = /\bmethod \w+ (does not exist|is not supported|not found)\b/i;
const WRONG_FORM = /\bexpected (an )?object\b/i;
const TIMED_OUT = -32002;
const DISCONNECTED = [4900, 4901];
const REJECTED = 4001;
const UNAUTHORIZED = [4100, -40100];
/** "Limit exceeded": the request was not taken. */
const BUSY = -32005;
const KEY_MISSING =
  /\b(unknown account|no (unlocked )?(account|signer|private key|key)\b|account not found)/i;

/**
 * Finds the account of a signer that speaks JSON-RPC. It signs the EIP-712 document. The first signature shows which
 * method the signer has, and in which form it takes the document: only an answer for which nobody was asked leads to
 * the next.
 * @throws {ArgumentError} naming `address`; {SignerError}
 */
export async function openJsonRpcKey(
  remote: Remote,
  { method, address }: { method?: RemoteSigningMethod | undefined; address?: Address | undefined },
): Promise<RemoteKey> {
  const account = address ?? (await onlyAccount(remote));
  const methods = method === undefined ? SIGNING_METHODS : [method];
  let ways = methods.map(waysOf);
  return {
    address: account,
    async sign({ typedData }, options) {
      const found = await firstAccepted(ways, (way) => askToSign(remote, way, account, typedData, options));
      ways = [[found.way]];
      return found.signature;
    },
  };
}

/** The two forms of the document, the usual one first. */
function waysOf(method: RemoteSigningMethod): Way[] {
  const isText = method !== "account_signTypedData";
  return [isText, !isText].map((form) => ({ method, isText: form }));
}

async function firstAccepted(
  waysOfMethods: readonly Way[][],
  ask: (way: Way) => Promise<Hex | RpcError>,
): Promise<{ way: Way; signature: Hex }> {
  for (const ways of waysOfMethods) {
    for (const way of ways) {
      const answer = await ask(way);
      if (typeof answer === "string") return { way, signature: answer };
      if (isMethodMissing(answer)) break;
      const isWrongForm = answer.code === INVALID_PARAMS || WRONG_FORM.test(answer.message);
      if (!isWrongForm || way === ways.at(-1)) throw refusal(answer);
    }
  }
  throw noMethod(waysOfMethods.flatMap(([way]) => way?.method ?? []));
}

async function askToSign(
  remote: Remote,
  { method, isText }: Way,
  account: Address,
  typedData: OperationTypedData,
  { signal, onState }: SignOptions,
): Promise<Hex | RpcError> {
  const document = isText ? JSON.stringify(typedData) : typedData;
  const waiting = { withinMs: remote.timeoutMs, signal, onState };
  const { answer, result, error } = await call(remote, method, [account, document], waiting);
  if (error) return error;
  if (typeof result === "string" && SIGNATURE.test(result)) return result as Hex;
  throw badAnswer(REMOTE, "signature of 65 bytes", answer);
}

/** The account of a signer that has one. clef asks a person before it lists its accounts. */
async function onlyAccount(remote: Remote): Promise<Address> {
  for (const method of ACCOUNT_METHODS) {
    const { answer, result, error } = await call(remote, method, []);
    if (error && isMethodMissing(error)) continue;
    if (error) throw refusal(error);
    if (!isTexts(result)) throw badAnswer(REMOTE, "list of accounts", answer);
    const accounts = result.map((each) => checksumAddress(each, "address"));
    const [account] = accounts;
    if (account && accounts.length === 1) return account;
    throw notOne(accounts);
  }
  const message = "The remote signer does not list its accounts. Enter the address of the key in the signer.";
  throw new ArgumentError("address", message);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

type Called = { answer: CustodianAnswer; result?: unknown; error?: RpcError };

/** Repeated only while it was not taken: a person may be asked. */
async function call(
  { client, headers, timeoutMs }: Remote,
  method: string,
  params: unknown[],
  waiting: SignOptions & { withinMs?: number } = {},
): Promise<Called> {
  const answer = await client.call({
    ...{ method: "POST", path: "", repeats: false, waitsForPersonMs: timeoutMs, ...waiting },
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    isFinal: isAnswered,
    busyState: (given) => (errorOf(given)?.code === BUSY ? String(BUSY) : undefined),
  });
  const error = errorOf(answer);
  if (error) return { answer, error };
  if (answer.status === 401 || answer.status === 403) throw refusalOf(REMOTE, answer);
  if (answer.status === 200) return { answer, result: fieldAt(answer.json, "result") };
  throw badAnswer(REMOTE, "answer of JSON-RPC", answer);
}

/** The error of JSON-RPC, which some signers send with an HTTP status that says the same. */
function errorOf({ json, mask = (said) => said }: CustodianAnswer): RpcError | undefined {
  const code = Number(fieldAt(json, "error", "code"));
  return Number.isNaN(code) ? undefined : { code, message: mask(textAt(json, "error", "message") ?? "") };
}

/** What a proxy in between says, with its own error of JSON-RPC, is not an answer of the signer. */
function isAnswered(answer: CustodianAnswer): boolean {
  const error = errorOf(answer);
  const isBusy = answer.status === 429 || answer.status === 503;
  return error !== undefined && (!isBusy || isMethodMissing(error) || isRefusal(error));
}

function isRefusal({ code, message }: RpcError): boolean {
  return code === REJECTED || isDenial(message);
}

function isMethodMissing({ code, message }: RpcError): boolean {
  return METHOD_MISSING.includes(code) || METHOD_MISSING_TEXT.test(message);
}

function refusal({ code, message }: RpcError): SignerError {
  const said = `It said: ${excerpt(message)} (${code})`;
  const details = { state: String(code) };
  if (isRefusal({ code, message })) {
    const text = `${REMOTE} refused the signature. Nothing was submitted. Ask the person who approves. ${said}`;
    return new SignerError("SIGNER_REFUSED", text, details);
  }
  if (UNAUTHORIZED.includes(code)) {
    const text = `${REMOTE} refused the credentials of the signer. Check them, and what they permit. ${said}`;
    return new SignerError("SIGNER_UNAUTHORIZED", text, details);
  }
  if (code === TIMED_OUT) {
    const text = `${REMOTE} ended the wait for an approval. Nothing was submitted. Approve sooner, or set a longer time there. ${said}`;
    return new SignerError("SIGNER_TIMEOUT", text, details);
  }
  if (DISCONNECTED.includes(code)) {
    return new SignerError(
      "SIGNER_UNAVAILABLE",
      `${REMOTE} is not connected. Try again later. ${said}`,
      details,
    );
  }
  if (KEY_MISSING.test(message)) {
    const text = `${REMOTE} does not have the key of this address, or it is locked. Check the address in the signer. ${said}`;
    return new SignerError("SIGNER_KEY_UNSUITABLE", text, details);
  }
  const text = `${REMOTE} failed and did not sign, which is not a decision. Nothing was submitted. Check its log, or try again later. ${said}`;
  return new SignerError("SIGNER_UNAVAILABLE", text, { ...details, isAsked: true });
}

function noMethod(methods: readonly string[]): SignerError {
  const message = `${REMOTE} does not have ${methods.join(", ")}. Check its address and version, or choose another method or protocol in the signer.`;
  return new SignerError("SIGNER_BAD_ANSWER", message);
}

function notOne(accounts: readonly Address[]): ArgumentError | SignerError {
  if (accounts.length === 0) {
    const message = "The remote signer has no account. Create or unlock one there.";
    return new SignerError("SIGNER_KEY_UNSUITABLE", message);
  }
  const list = accounts.slice(0, SHOWN).join(", ") + (accounts.length > SHOWN ? ", …" : "");
  const message = `${REMOTE} has ${accounts.length} accounts. Enter the address of one in the signer: ${list}.`;
  return new ArgumentError("address", message);
}
