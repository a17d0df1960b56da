import {
  createHash,
  generateKeyPairSync,
  type KeyPairKeyObjectResult,
  randomUUID,
  verify,
} from "node:crypto";
import * as Address from "ox/Address";
import * as PublicKey from "ox/PublicKey";
import * as Secp256k1 from "ox/Secp256k1";
import * as TypedData from "ox/TypedData";
import type { Hex } from "../../src/protocol/index.ts";
import { type Answer, type Asked, StandIn } from "./stand-in.ts";
import { type MadeSignature, type SignatureForm, standInSignature } from "./stand-in-signature.ts";

/** A transaction as the API returns it. */
export type FireblocksTransaction = {
  id: string;
  externalTxId: string;
  status: string;
  subStatus: string;
  operation: string;
  note: string;
  source?: { type: string; id: string };
  assetId?: string;
  extraParameters: { rawMessageData: { algorithm?: string; messages: RawMessage[] } };
  signedMessages: unknown[];
};

type RawMessage = { content: unknown; type?: string; derivationPath?: number[] };

export type FireblocksOptions = {
  /** Whether each transaction waits in `PENDING_AUTHORIZATION` until `approve` or `end`. */
  isApprovedByPeople?: boolean;
  /**
   * Of its API user, 2,048 bits. Servers of one Node-RED each need their own: Node-RED remembers for which address a key
   * was entered.
   *
   * @default a new pair
   */
  apiKeys?: KeyPairKeyObjectResult;
};

const LONGEST_JWT_S = 30;

/**
 * In place of api.fireblocks.io, which needs an account: it checks every header, the JWT, its claims and the body, and
 * signs with a key of its own.
 */
export class FireblocksServer {
  readonly apiKey = randomUUID();
  readonly #apiKeys: KeyPairKeyObjectResult;
  readonly privateKey: string;
  readonly source = { vaultAccountId: "7", assetId: "ETH_TEST5" };
  readonly derivationPath = [44, 1, 7, 0, 0];
  readonly transactions: FireblocksTransaction[] = [];
  /** Everything that a client did wrong. */
  readonly problems: string[] = [];
  /** The form of its signatures. */
  form: SignatureForm = {};
  /** The states of the next transactions, one at each request for it; the last one stays. */
  states = ["SUBMITTED", "QUEUED", "PENDING_SIGNATURE", "COMPLETED"];
  /** How far the clock of the client is behind its own. */
  clientBehindS = 0;
  /** Whether the API user has a role that may read public keys. */
  mayReadKeys = true;
  /** Replaces parts of a completed transaction's signed message. */
  signedMessage: Record<string, unknown> = {};
  algorithm = "MPC_ECDSA_SECP256K1";
  readonly #standIn: StandIn;
  readonly #key = Secp256k1.randomPrivateKey();
  readonly #nonces = new Set<string>();
  readonly #left = new Map<string, string[]>();
  readonly #options: FireblocksOptions;

  private constructor(standIn: StandIn, options: FireblocksOptions) {
    this.#standIn = standIn;
    this.#options = options;
    this.#apiKeys = options.apiKeys ?? generateKeyPairSync("rsa", { modulusLength: 2048 });
    this.privateKey = this.#apiKeys.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    standIn.answer = (asked) => this.#answer(asked);
  }

  static async start(options: FireblocksOptions = {}): Promise<FireblocksServer> {
    return new FireblocksServer(await StandIn.start(), options);
  }

  get url(): string {
    return this.#standIn.url;
  }

  /** What `fireblocksSigner` is given. */
  get options() {
    const { url, apiKey, privateKey, source } = this;
    return { url, apiKey, privateKey, source };
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

  /** Waits until a transaction waits for people. */
  waiting(): Promise<FireblocksTransaction> {
    return this.#standIn.until(() =>
      this.transactions.find(({ status }) => status === "PENDING_AUTHORIZATION"),
    );
  }

  /** Waits until this many requests have arrived. */
  async receiving(count: number): Promise<void> {
    await this.#standIn.until(() => (this.asked.length >= count ? true : undefined));
  }

  /** A person approves: it is signed. */
  approve(transaction: FireblocksTransaction): void {
    this.#left.delete(transaction.id);
    this.#set(transaction, "COMPLETED");
  }

  /** It ends without a signature. */
  end(transaction: FireblocksTransaction, status: string, subStatus = ""): void {
    this.#left.delete(transaction.id);
    this.#set(transaction, status, subStatus);
  }

  async close(): Promise<void> {
    await this.#standIn.close();
  }

  #answer(asked: Asked): Answer {
    const answered = this.#refusal(asked) ?? this.#route(asked);
    const date = new Date(Date.now() + this.clientBehindS * 1000).toUTCString();
    return { ...answered, headers: { date, ...answered.headers } };
  }

  #refusal({ headers, path, body }: Asked): Answer | undefined {
    const wrong = this.#problemOf(headers, path, body);
    if (wrong === undefined) return undefined;
    const [code, message] = wrong;
    this.problems.push(message);
    return { status: 401, body: { code, message } };
  }

  #problemOf(headers: Asked["headers"], path: string, body: Buffer): [number, string] | undefined {
    if (headers["x-api-key"] !== this.apiKey) return [-2, "Missing API Key"];
    const [scheme, token = ""] = (headers.authorization ?? "").split(" ");
    const [head = "", payload = "", signature = ""] = token.split(".");
    if (scheme !== "Bearer" || signature === "") return [-3, "Missing JWT"];
    const signed = Buffer.from(`${head}.${payload}`);
    if (!verify("RSA-SHA256", signed, this.#apiKeys.publicKey, Buffer.from(signature, "base64url"))) {
      return [-1, "Invalid signature"];
    }
    if (claimsOf(head).alg !== "RS256") return [-5, "Invalid token format"];
    const { uri, nonce, iat, exp, sub, bodyHash } = claimsOf(payload);
    const now = Date.now() / 1000 + this.clientBehindS;
    if (sub !== this.apiKey) return [-6, "Wrong user in the JWT"];
    if (uri !== path) return [-4, "Wrong URL in the JWT"];
    if (
      typeof iat !== "number" ||
      typeof exp !== "number" ||
      !Number.isInteger(iat) ||
      !Number.isInteger(exp)
    ) {
      return [-7, "iat and exp must be seconds"];
    }
    if (exp - iat >= LONGEST_JWT_S) return [-7, "The token is valid for too long"];
    if (iat > now + 5 || exp <= now) return [-7, "Token was not accepted: iat or exp"];
    if (bodyHash !== createHash("sha256").update(body).digest("hex")) return [-7, "Wrong body hash"];
    if (this.#nonces.has(String(nonce))) return [-7, "This nonce was used before"];
    this.#nonces.add(String(nonce));
    return undefined;
  }

  #route({ method, path, headers, body }: Asked): Answer {
    const { pathname, searchParams } = new URL(path, "http://any");
    const parts = pathname.split("/").slice(1).map(decodeURIComponent);
    const route = `${method} ${parts.join("/")}`;
    const { vaultAccountId, assetId } = this.source;
    const account = `GET v1/vault/accounts/${vaultAccountId}/${assetId}`;
    if (route === "POST v1/transactions") {
      return headers["content-type"] === "application/json"
        ? this.#create(JSON.parse(body.toString()))
        : refused("No JSON");
    }
    if (route.startsWith("GET v1/transactions/external_tx_id/")) {
      return this.#show(this.transactions.find(({ externalTxId }) => externalTxId === parts[3]));
    }
    if (route.startsWith("GET v1/transactions/")) {
      return this.#show(this.transactions.find(({ id }) => id === parts[2]));
    }
    const isByPath = route === "GET v1/vault/public_key_info";
    if (isByPath || route === `${account}/0/0/public_key_info`) {
      const asked = searchParams.get("derivationPath");
      if (isByPath && asked !== JSON.stringify(this.derivationPath)) return refused("Wrong derivation path");
      return this.mayReadKeys ? this.#publicKey(searchParams.get("compressed") === "true") : forbidden();
    }
    if (route === `${account}/addresses_paginated`) {
      return { status: 200, body: { addresses: [{ assetId, address: this.address, bip44AddressIndex: 0 }] } };
    }
    return { status: 404, body: { message: "Not found", code: 1004 } };
  }

  #create(request: Partial<FireblocksTransaction>): Answer {
    const { externalTxId = "", operation, source, assetId, note = "", extraParameters } = request;
    const messages = extraParameters?.rawMessageData.messages ?? [];
    const algorithm = extraParameters?.rawMessageData.algorithm;
    const [message] = messages;
    if (messages.length !== 1 || !message) return refused("Not one message");
    const isTyped = operation === "TYPED_MESSAGE" && message.type === "EIP712";
    if (!isTyped && operation !== "RAW") return refused("Not the operation of a message");
    if (!isTyped && !/^[0-9a-f]{64}$/.test(String(message.content)))
      return refused("The content is not 32 bytes");
    const isByPath = message.derivationPath !== undefined;
    const isRight = isByPath
      ? JSON.stringify(message.derivationPath) === JSON.stringify(this.derivationPath) &&
        algorithm === this.algorithm
      : source?.type === "VAULT_ACCOUNT" &&
        source.id === this.source.vaultAccountId &&
        assetId === this.source.assetId;
    if (!isRight) return refused("Source not found");
    if (externalTxId === "" || externalTxId.length > 255) return refused("Wrong external tx id");
    if (this.transactions.some((one) => one.externalTxId === externalTxId)) {
      return refused("The external tx id that was provided in the request, already exists", 1438);
    }
    const made: FireblocksTransaction = {
      id: randomUUID(),
      externalTxId,
      status: "SUBMITTED",
      subStatus: "",
      operation,
      note,
      ...(source ? { source } : {}),
      ...(assetId ? { assetId } : {}),
      extraParameters: { rawMessageData: { ...(algorithm ? { algorithm } : {}), messages } },
      signedMessages: [],
    };
    this.transactions.push(made);
    const [first = "SUBMITTED", ...left] = this.#options.isApprovedByPeople
      ? ["SUBMITTED", "PENDING_AUTHORIZATION"]
      : this.states;
    this.#left.set(made.id, left);
    this.#set(made, first);
    return { status: 200, body: { id: made.id, status: made.status } };
  }

  #show(transaction: FireblocksTransaction | undefined): Answer {
    if (transaction === undefined)
      return { status: 404, body: { message: "Transaction not found", code: 1427 } };
    const next = this.#left.get(transaction.id)?.shift();
    if (next !== undefined) this.#set(transaction, next);
    return { status: 200, body: transaction };
  }

  #set(transaction: FireblocksTransaction, status: string, subStatus = ""): void {
    transaction.status = status;
    transaction.subStatus = subStatus;
    if (status === "COMPLETED") transaction.signedMessages = [this.#signedMessage(transaction)];
    this.#standIn.changed();
  }

  #signedMessage({ extraParameters }: FireblocksTransaction): unknown {
    const { content, type } = extraParameters.rawMessageData.messages[0] ?? {};
    const digest = type === "EIP712" ? TypedData.getSignPayload(content as never) : `0x${String(content)}`;
    const { r, s, v }: MadeSignature = standInSignature(digest as Hex, this.#key, this.form);
    return {
      content,
      algorithm: this.algorithm,
      derivationPath: this.derivationPath,
      signature: { fullSig: `${r}${s}`, r, s, v },
      publicKey: this.#publicKeyHex(true),
      ...this.signedMessage,
    };
  }

  #publicKey(isCompressed: boolean): Answer {
    const { algorithm, derivationPath } = this;
    return { status: 200, body: { algorithm, derivationPath, publicKey: this.#publicKeyHex(isCompressed) } };
  }

  #publicKeyHex(isCompressed: boolean): string {
    const key = Secp256k1.getPublicKey({ privateKey: this.#key });
    return PublicKey.toHex(isCompressed ? PublicKey.compress(key) : key).slice(2);
  }
}

function claimsOf(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, "base64url").toString());
}

function refused(message: string, code = 1400): Answer {
  return { status: 400, body: { message, code } };
}

function forbidden(): Answer {
  return { status: 403, body: { message: "Forbidden", code: -10 } };
}
