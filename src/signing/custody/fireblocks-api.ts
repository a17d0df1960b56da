import { createHash, randomUUID, sign } from "node:crypto";
import * as AddressOf from "ox/Address";
import * as PublicKey from "ox/PublicKey";
import { checksumAddress } from "../../abi/index.ts";
import { clockDifference } from "../../http/index.ts";
import type { Address } from "../../protocol/index.ts";
import { badAnswer, type CustodianAnswer, fieldAt, quoted, refusalOf, textAt } from "./custodian-answers.ts";
import { type CustodianCall, CustodianClient } from "./custodian-client.ts";
import type { CustodyOptions } from "./custody-signer.ts";
import { SignerError } from "./signer-error.ts";

/** Where the key is: that of an asset in a vault account, or of a path from the workspace's root key. */
export type FireblocksSource =
  | { vaultAccountId: string; assetId: string }
  | { derivationPath: readonly number[] };

type FireblocksKey = { address: Address; derivationPath: readonly number[] | undefined };

export const ALGORITHM = "MPC_ECDSA_SECP256K1";

export const FIREBLOCKS = "Fireblocks";

type FireblocksApiOptions = CustodyOptions & {
  url: string;
  apiKey: string;
  /** Of the API user, as PEM (PKCS#8). */
  key: string;
};

type FireblocksCall = {
  method: "GET" | "POST";
  /** With its query, from `/v1` on. */
  path: string;
  body?: string;
} & Pick<CustodianCall, "signal" | "withinMs" | "onState">;

/** The API refuses 30 seconds. */
const TOKEN_LIFE_S = 25;
/** A smaller difference of the clocks is not why a token is refused. */
const CLOCK_TOLERANCE_S = 10;

/** Calls the API. Each request has a token of its own: it is valid once, for this path and body, for seconds. */
export class FireblocksApi {
  readonly #client: CustodianClient;
  readonly #options: FireblocksApiOptions;

  /** @throws {ArgumentError} */
  constructor(options: FireblocksApiOptions) {
    const { url, apiKey, key, tls, proxy } = options;
    const secrets = [apiKey, key];
    // The addresses in the documents of Fireblocks end with the version.
    const baseUrl = url.replace(/\/v1\/*$/, "");
    this.#options = options;
    this.#client = new CustodianClient({ custodian: FIREBLOCKS, baseUrl, secrets, tls, proxy });
  }

  /**
   * Any answer but one about credentials. A request to sign is not repeated where it may exist: it has an external id, by
   * which it is found.
   * @throws {SignerError} `SIGNER_UNAUTHORIZED`, `SIGNER_UNAVAILABLE`
   */
  async call({ path, body, method, ...call }: FireblocksCall): Promise<CustodianAnswer> {
    const { apiKey } = this.#options;
    const headers = () => ({
      "x-api-key": apiKey,
      authorization: `Bearer ${this.#token(this.#client.pathOf(path), body ?? "")}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    });
    const answer = await this.#client.call({
      ...call,
      method,
      path,
      headers,
      body,
      repeats: method === "GET",
    });
    if (answer.status === 401) throw clockError(answer) ?? refusalOf(FIREBLOCKS, answer);
    return answer;
  }

  pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return this.#client.pause(ms, signal);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /** A JSON Web Token, RS256. */
  #token(uri: string, body: string): string {
    const { apiKey, key } = this.#options;
    const iat = Math.floor(Date.now() / 1000);
    const claims = {
      uri,
      nonce: randomUUID(),
      iat,
      exp: iat + TOKEN_LIFE_S,
      sub: apiKey,
      bodyHash: createHash("sha256").update(body).digest("hex"),
    };
    const signed = `${encoded({ alg: "RS256", typ: "JWT" })}.${encoded(claims)}`;
    return `${signed}.${sign("RSA-SHA256", Buffer.from(signed), key).toString("base64url")}`;
  }
}

function encoded(json: unknown): string {
  return Buffer.from(JSON.stringify(json)).toString("base64url");
}

function clockError({ date }: CustodianAnswer): SignerError | undefined {
  const differs = clockDifference(date, CLOCK_TOLERANCE_S);
  if (differs === undefined) return undefined;
  return new SignerError(
    "SIGNER_UNAUTHORIZED",
    `The clock of this machine is ${differs.seconds} seconds ${differs.how} that of ${FIREBLOCKS}, which accepts only requests of the last seconds. Set the clock, and keep it right with NTP.`,
    { state: "401" },
  );
}

/**
 * The address of the key. The public key is shown to two roles only; to others, the address of the asset.
 * @throws {SignerError}
 */
export async function readKey(api: FireblocksApi, source: FireblocksSource): Promise<FireblocksKey> {
  const answer = await api.call({ method: "GET", path: keyPath(source) });
  if (answer.status === 403) {
    if ("vaultAccountId" in source) return readAddress(api, source);
    throw new SignerError(
      "SIGNER_UNAUTHORIZED",
      `${FIREBLOCKS} shows the public key of a derivation path to the roles Admin and Non-Signing Admin only. Give the API user one of them, or choose a vault account and its asset.`,
      { state: "403" },
    );
  }
  if (answer.status !== 200) throw refusalOf(FIREBLOCKS, answer);
  const algorithm = fieldAt(answer.json, "algorithm") ?? ALGORITHM;
  if (algorithm !== ALGORITHM) {
    throw new SignerError(
      "SIGNER_KEY_UNSUITABLE",
      `The key in ${FIREBLOCKS} is of the kind ${quoted(String(algorithm), answer)}, and wallets take ${ALGORITHM}. Choose an asset of Ethereum or another EVM network.`,
    );
  }
  const path = fieldAt(answer.json, "derivationPath");
  const derivationPath = Array.isArray(path) && path.length > 0 ? path.map(Number) : undefined;
  return { address: addressOf(answer), derivationPath };
}

async function readAddress(
  api: FireblocksApi,
  source: Extract<FireblocksSource, { assetId: string }>,
): Promise<FireblocksKey> {
  const answer = await api.call({ method: "GET", path: `${accountPath(source)}/addresses_paginated` });
  if (answer.status !== 200) throw refusalOf(FIREBLOCKS, answer);
  const addresses = [fieldAt(answer.json, "addresses")].flat();
  const first = addresses.find((one) => !(Number(fieldAt(one, "bip44AddressIndex") ?? 0) > 0));
  try {
    return { address: checksumAddress(textAt(first, "address") ?? "", "address"), derivationPath: undefined };
  } catch {
    throw new SignerError(
      "SIGNER_KEY_UNSUITABLE",
      `The asset ${source.assetId} of vault account ${source.vaultAccountId} has no EVM address. Choose an asset of Ethereum or another EVM network.`,
    );
  }
}

function keyPath(source: FireblocksSource): string {
  if ("vaultAccountId" in source) return `${accountPath(source)}/0/0/public_key_info?compressed=false`;
  const path = encodeURIComponent(JSON.stringify(source.derivationPath));
  return `/v1/vault/public_key_info?derivationPath=${path}&algorithm=${ALGORITHM}&compressed=false`;
}

function accountPath({ vaultAccountId, assetId }: Extract<FireblocksSource, { assetId: string }>): string {
  return `/v1/vault/accounts/${encodeURIComponent(vaultAccountId)}/${encodeURIComponent(assetId)}`;
}

function addressOf(answer: CustodianAnswer): Address {
  try {
    const hex = `0x${textAt(answer.json, "publicKey")?.replace(/^0x/i, "")}` as const;
    return AddressOf.checksum(AddressOf.fromPublicKey(PublicKey.fromHex(hex)));
  } catch {
    throw badAnswer(FIREBLOCKS, "public key", answer);
  }
}
