import { createPrivateKey, type KeyObject, randomUUID, sign } from "node:crypto";
import { checksumAddress } from "../../abi/index.ts";
import { ArgumentError } from "../../errors.ts";
import { anything, oneOf, optional, options, text } from "../../options/index.ts";
import type { Address, Hex } from "../../protocol/index.ts";
import { SIGNING_TIMEOUTS_MS } from "../../protocol/signers.ts";
import { readPemPrivateKey } from "../rsa.ts";
import { type SignRequest, signCall } from "../signer.ts";
import { badAnswer, type CustodianAnswer, quoted, refusalOf, textAt } from "./custodian-answers.ts";
import { type CustodianCall, CustodianClient } from "./custodian-client.ts";
import { CUSTODY, type CustodyOptions, type CustodySigner, visibleText } from "./custody-signer.ts";
import { SignerError, type SignerErrorCode } from "./signer-error.ts";

export type PrivySignerOptions = CustodyOptions & {
  /** @default "https://api.privy.io" */
  url?: string | undefined;
  appId: string;
  appSecret: string;
  /** The id of the wallet in Privy, which is a key. Not its address, and not the wallet of operations. */
  walletId: string;
  /**
   * The authorization key of the wallet's owner, or of an additional signer: `wallet-auth:` and base64, or PEM.
   * @default none: only for a wallet without an owner
   */
  authorizationKey?: string | undefined;
  /**
   * `"typed-data"`: policies see the operation (`eth_signTypedData_v4`). `"digest"`: they see 32 bytes
   * (`secp256k1_sign`). @default "digest"
   */
  sends?: "digest" | "typed-data" | undefined;
};

type Session = {
  client: CustodianClient;
  origin: string;
  headers: Record<string, string>;
  /** From `/v1` on. */
  path: string;
  key: KeyObject | undefined;
};

const PRIVY = "Privy";
const DEFAULT_URL = "https://api.privy.io";
/** Of an error. */
const CODE_LENGTH = 100;
const OWNED =
  "The wallet has an owner, who authorizes each signature. Enter the authorization key of the owner, or of an additional signer.";
const WRONG_KEY =
  "The authorization key in the signer is not that of the wallet's owner, nor of an additional signer. Check it.";
const QUORUM =
  "The wallet requires the signatures of several authorization keys, and the signer has one. Lower the number in Privy to one, or add this key as an additional signer.";
const SIGNATURE = /^0x[0-9a-f]{130}$/i;

const privyOptions = options<PrivySignerOptions>({
  ...CUSTODY,
  url: optional(text),
  // These have checks of their own.
  ...{ appId: anything(), appSecret: anything(), walletId: anything() },
  authorizationKey: optional(text),
  sends: optional(oneOf("digest", "typed-data")),
});

/**
 * Signs with the key of a wallet in Privy, for wallets of type `ecdsa`.
 *
 * @throws {ArgumentError} with the path of the option; {SignerError} `SIGNER_UNAVAILABLE`, `SIGNER_UNAUTHORIZED`,
 * `SIGNER_KEY_UNSUITABLE`, `SIGNER_BAD_ANSWER`. Its `sign` throws also `SIGNER_REFUSED`, where a policy forbids it.
 * @example
 * const open = () =>
 *   privySigner({
 *     appId: "cm15hx5205e5lv4",
 *     appSecret: process.env.PRIVY_APP_SECRET ?? "",
 *     walletId: "id2tptkqrxd39qo9j423etij",
 *     authorizationKey: process.env.PRIVY_AUTHORIZATION_KEY,
 *   });
 */
export async function privySigner(
  options: PrivySignerOptions,
): Promise<CustodySigner & { kind: "ecdsa"; address: Address }> {
  const given = privyOptions(options);
  const { timeoutMs = SIGNING_TIMEOUTS_MS.privy, sends = "digest" } = given;
  const session = sessionOf(given);
  const { client } = session;
  try {
    const address = await readAddress(session);
    return {
      kind: "ecdsa",
      custodian: PRIVY,
      address,
      timeoutMs,
      async sign(request, signOptions) {
        const isDigest = sends === "digest";
        const waiting = signCall(request, signOptions, isDigest ? "digest" : "all");
        const body = isDigest ? digestCall(request) : typedDataCall(request);
        return signatureIn(await send(session, body, { ...waiting, withinMs: timeoutMs }));
      },
      close: () => client.close(),
    };
  } catch (error) {
    await client.close();
    throw error;
  }
}

function sessionOf({
  url = DEFAULT_URL,
  appId,
  appSecret,
  walletId,
  authorizationKey = "",
  tls,
  proxy,
}: PrivySignerOptions): Session {
  const id = visibleText(appId, "appId", "the id of the app in Privy");
  const secret = visibleText(appSecret, "appSecret", "the secret of the app in Privy");
  const path = `/v1/wallets/${encodeURIComponent(visibleText(walletId, "walletId", "the id of the wallet in Privy"))}`;
  const key = authorizationKey.trim() === "" ? undefined : authorizationKeyOf(authorizationKey);
  const basic = Buffer.from(`${id}:${secret}`).toString("base64");
  const baseUrl = url.replace(/\/v1\/*$/, "");
  const client = new CustodianClient({
    custodian: PRIVY,
    baseUrl,
    secrets: [secret, basic, authorizationKey],
    tls,
    proxy,
  });
  const headers = { authorization: `Basic ${basic}`, "privy-app-id": id };
  return { client, origin: new URL(baseUrl).origin, headers, path, key };
}

/** @throws {SignerError} */
async function readAddress({ client, headers, path, key }: Session): Promise<Address> {
  const answer = await client.call({ method: "GET", path, headers, repeats: true });
  if (answer.status !== 200) throw errorOf(answer);
  const chainType = textAt(answer.json, "chain_type");
  const address = textAt(answer.json, "address");
  if (chainType === undefined || address === undefined) throw badAnswer(PRIVY, "wallet", answer);
  if (chainType !== "ethereum") {
    throw new SignerError(
      "SIGNER_KEY_UNSUITABLE",
      `The wallet in ${PRIVY} is for ${quoted(chainType, answer)}. Choose one whose chain type is ethereum.`,
    );
  }
  if (key === undefined && textAt(answer.json, "owner_id") !== undefined) {
    throw new SignerError(
      "SIGNER_UNAUTHORIZED",
      `${OWNED} ${PRIVY}: wallet ${quoted(textAt(answer.json, "id") ?? "", answer)}.`,
    );
  }
  try {
    return checksumAddress(address, "address");
  } catch {
    throw badAnswer(PRIVY, "address", answer);
  }
}

function digestCall({ digest }: SignRequest) {
  return { method: "secp256k1_sign", params: { hash: digest.toLowerCase() } };
}

function typedDataCall({ typedData }: SignRequest) {
  const { primaryType, ...rest } = typedData;
  return { method: "eth_signTypedData_v4", params: { typed_data: { ...rest, primary_type: primaryType } } };
}

/** @throws {SignerError} */
async function send(
  { client, origin, headers, path, key }: Session,
  body: { method: string; params: unknown },
  waiting: Pick<CustodianCall, "signal" | "onState" | "withinMs">,
): Promise<CustodianAnswer> {
  // One key for each call, repeats included: Privy keeps answers for a day, and might keep a refusal.
  const privy = { "privy-app-id": headers["privy-app-id"] ?? "", "privy-idempotency-key": randomUUID() };
  const url = `${origin}${client.pathOf(path)}/rpc`;
  const request = { method: "POST", url, body, headers: privy } as const;
  const authorization = key ? { "privy-authorization-signature": authorizationSignature(key, request) } : {};
  const answer = await client.call({
    method: "POST",
    path: `${path}/rpc`,
    headers: { ...headers, ...privy, ...authorization, "content-type": "application/json" },
    body: JSON.stringify(body),
    repeats: false,
    ...waiting,
  });
  if (answer.status !== 200) throw errorOf(answer, body.method);
  return answer;
}

/** @throws {SignerError} `SIGNER_BAD_ANSWER` */
function signatureIn(answer: CustodianAnswer): Hex {
  const signature = textAt(answer.json, "data", "signature");
  if (signature === undefined || !SIGNATURE.test(signature)) throw badAnswer(PRIVY, "signature", answer);
  return signature.toLowerCase() as Hex;
}

/** The error for an answer other than 200; `method` is that of a request to sign. */
function errorOf(answer: CustodianAnswer, method = ""): SignerError {
  const code = textAt(answer.json, "code")?.slice(0, CODE_LENGTH) ?? "";
  const shown = quoted(code, answer);
  const error = (kind: SignerErrorCode, sentence: string) =>
    new SignerError(kind, `${sentence} ${PRIVY}: ${shown}.`, { state: shown });
  if (code === "policy_violation") {
    const sentence = `A policy of the wallet forbids this signature. Nothing was submitted. Ask the person who manages the policies: a policy allows only what a rule names, such as ${method}.`;
    return error("SIGNER_REFUSED", sentence);
  }
  if (code === "missing_or_empty_authorization_header") return error("SIGNER_UNAUTHORIZED", OWNED);
  if (code === "zero_correct_authorization_signatures") return error("SIGNER_UNAUTHORIZED", WRONG_KEY);
  if (/^in(?:sufficient|correct)_.*_signatures$/.test(code)) return error("SIGNER_UNAUTHORIZED", QUORUM);
  return refusalOf(PRIVY, answer);
}

/** What an authorization key signs of a request. */
type AuthorizedRequest = {
  method: "POST";
  /** Complete. */
  url: string;
  body: unknown;
  /** Those whose names begin with `privy-`, without the signature. */
  headers: Record<string, string>;
};

const PREFIX = /^wallet-(?:auth|api):/;

/**
 * An authorization key, as the dashboard shows it (`wallet-auth:` and PKCS#8 as base64), or as PEM.
 * @internal
 * @throws {ArgumentError} `INVALID_PRIVATE_KEY`
 */
function authorizationKeyOf(text: string): KeyObject {
  const trimmed = text.trim();
  const key = trimmed.includes("-----BEGIN")
    ? readPemPrivateKey(trimmed, "authorizationKey")
    : readKey(trimmed);
  if (key?.asymmetricKeyDetails?.namedCurve === "prime256v1") return key;
  throw new ArgumentError(
    "authorizationKey",
    "authorizationKey must be a P-256 key as Privy's dashboard shows it: wallet-auth: and base64.",
    { code: "INVALID_PRIVATE_KEY" },
  );
}

/**
 * The header `privy-authorization-signature`: ECDSA P-256 with SHA-256, DER, as base64.
 * @internal
 */
function authorizationSignature(key: KeyObject, request: AuthorizedRequest): string {
  const signed = canonicalJson({ version: 1, ...request });
  return sign("sha256", Buffer.from(signed), key).toString("base64");
}

function readKey(text: string): KeyObject | undefined {
  const der = Buffer.from(text.replace(PREFIX, ""), "base64");
  try {
    return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  } catch {
    return undefined;
  }
}

/** JSON in the canonical form of RFC 8785: no spaces, and the names of each object sorted. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
}
