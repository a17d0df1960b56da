import { generateKeyPairSync, randomUUID, verify } from "node:crypto";
import * as Address from "ox/Address";
import * as Secp256k1 from "ox/Secp256k1";
import * as TypedData from "ox/TypedData";
import type { Hex } from "../../src/protocol/index.ts";
import { type Answer, type Asked, StandIn } from "./stand-in.ts";
import { type SignatureForm, standInSignature } from "./stand-in-signature.ts";

const owner = generateKeyPairSync("ec", { namedCurve: "P-256" });

/** In place of api.privy.io, which needs an account: it checks every header and signature, and signs with its own key. */
export class PrivyServer {
  readonly appId = "cm15hx5205e5lv4";
  readonly appSecret = randomUUID();
  readonly walletId = "id2tptkqrxd39qo9j423etij";
  readonly authorizationKey =
    `wallet-auth:${owner.privateKey.export({ type: "pkcs8", format: "der" }).toString("base64")}`;
  /** Everything that a client did wrong. */
  readonly problems: string[] = [];
  /** The form of its signatures. */
  form: SignatureForm = { isEthereumV: true };
  /** Whether the wallet has an owner, who authorizes each request. */
  isOwned = false;
  chainType = "ethereum";
  /** The methods that the wallet's policy allows. */
  allowed = ["secp256k1_sign", "eth_signTypedData_v4"];
  /** What was signed, by idempotency key: a repeat gets the same answer. */
  readonly answers = new Map<string, { body: string; answer: Answer }>();
  readonly #standIn: StandIn;
  readonly #key = Secp256k1.randomPrivateKey();

  private constructor(standIn: StandIn) {
    this.#standIn = standIn;
    standIn.answer = (asked) => this.#answer(asked);
  }

  static async start(): Promise<PrivyServer> {
    return new PrivyServer(await StandIn.start());
  }

  get url(): string {
    return this.#standIn.url;
  }

  /** What `privySigner` is given for a wallet without an owner. */
  get options() {
    const { url, appId, appSecret, walletId } = this;
    return { url, appId, appSecret, walletId };
  }

  /** The address of the key that signs. */
  get address(): string {
    return Address.checksum(Address.fromPublicKey(Secp256k1.getPublicKey({ privateKey: this.#key })));
  }

  get faults(): StandIn["faults"] {
    return this.#standIn.faults;
  }

  get asked(): readonly Asked[] {
    return this.#standIn.asked;
  }

  async close(): Promise<void> {
    await this.#standIn.close();
  }

  #answer(asked: Asked): Answer {
    const { method, path, headers } = asked;
    const basic = Buffer.from(`${this.appId}:${this.appSecret}`).toString("base64");
    if (headers.authorization !== `Basic ${basic}`) return this.#problem(401, "Invalid app ID or app secret");
    if (headers["privy-app-id"] !== this.appId) return this.#problem(401, "Missing privy-app-id");
    if (path === `/v1/wallets/${this.walletId}` && method === "GET") return this.#wallet();
    if (path !== `/v1/wallets/${this.walletId}/rpc` || method !== "POST") {
      return this.#problem(404, "Wallet not found");
    }
    if (headers["content-type"] !== "application/json") return this.#problem(400, "No JSON");
    const problem = this.#authorization(asked);
    if (problem !== undefined) return this.#problem(401, problem, problem);
    return this.#once(asked);
  }

  #wallet(): Answer {
    const owner_id = this.isOwned ? "rkiz0ivz254drv1xw982v3jq" : null;
    const { walletId: id, address, chainType: chain_type } = this;
    return {
      status: 200,
      body: { id, address, chain_type, policy_ids: [], additional_signers: [], owner_id },
    };
  }

  #authorization({ headers, path, body }: Asked): string | undefined {
    if (!this.isOwned) return undefined;
    const signature = headers["privy-authorization-signature"];
    if (typeof signature !== "string" || signature === "") return "missing_or_empty_authorization_header";
    const key = headers["privy-idempotency-key"];
    // Written out, and not by the code under test: the names are in order.
    const signed = [
      `{"body":${sorted(body.toString())}`,
      `"headers":{"privy-app-id":"${this.appId}"${key === undefined ? "" : `,"privy-idempotency-key":"${String(key)}"`}}`,
      `"method":"POST"`,
      `"url":"${this.url}${path}"`,
      `"version":1}`,
    ].join(",");
    const isRight = verify("sha256", Buffer.from(signed), owner.publicKey, Buffer.from(signature, "base64"));
    return isRight ? undefined : "zero_correct_authorization_signatures";
  }

  /** An idempotency key gets one answer for a day, and none for another body. */
  #once({ headers, body }: Asked): Answer {
    const key = String(headers["privy-idempotency-key"] ?? randomUUID());
    const before = this.answers.get(key);
    if (before && before.body !== body.toString())
      return this.#problem(400, "Invalid use of the idempotency key");
    const answer = before?.answer ?? this.#sign(JSON.parse(body.toString()));
    this.answers.set(key, { body: body.toString(), answer });
    return answer;
  }

  #sign({ method, params }: { method: string; params: { hash?: Hex; typed_data?: never } }): Answer {
    if (!this.allowed.includes(method)) {
      return {
        status: 400,
        body: { error: "RPC request denied due to policy violation", code: "policy_violation" },
      };
    }
    const hash = method === "secp256k1_sign" ? params.hash : digestOf(params.typed_data);
    if (hash === undefined || !/^0x[0-9a-f]{64}$/.test(hash)) return this.#problem(400, "Invalid hash");
    const { r, s, v } = standInSignature(hash, this.#key, this.form);
    const signature = `0x${r}${s}${v.toString(16).padStart(2, "0")}`;
    return { status: 200, body: { method, data: { signature, encoding: "hex" } } };
  }

  #problem(status: number, error: string, code?: string): Answer {
    this.problems.push(error);
    return { status, body: { error, ...(code === undefined ? {} : { code }) } };
  }
}

/** The digest of typed data, which the API wants with `primary_type`. */
function digestOf(typed?: {
  primary_type: string;
  domain: never;
  types: never;
  message: never;
}): Hex | undefined {
  if (typed?.primary_type === undefined) return undefined;
  const { primary_type: primaryType, domain, types, message } = typed;
  return TypedData.getSignPayload({ domain, types, message, primaryType } as never);
}

/** The members of a request to sign, in the order of their names. */
function sorted(body: string): string {
  const { method, params } = JSON.parse(body);
  return JSON.stringify({ method, params: sortedValue(params) });
}

function sortedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sortedValue(member)]),
  );
}
