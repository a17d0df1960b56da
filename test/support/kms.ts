import { createHash, createHmac, generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { rsaSign } from "../../src/signing/rsa.ts";
import type { Certificate } from "./certificates.ts";

/** A key of the stand-in. `sign` gets the digest. */
export type StandInKey = {
  KeySpec: string;
  KeyUsage: string;
  publicKey: Uint8Array;
  sign: (digest: Uint8Array) => Uint8Array;
};

/** An error as AWS sends it. */
export type AwsError = { status?: number; __type: string; message?: string };

/** What becomes of a call that is not simply answered. */
export type KmsHarm = AwsError | "drop" | "stall" | { status: number; html: string };

export const ACCESS_KEY = { accessKeyId: "AKIASTANDIN000000001", secretAccessKey: "secret/of+the/stand-in" };
export const REGION = "eu-central-1";
const ACCOUNT = "111122223333";
const MAX_SKEW_MS = 300_000;

/**
 * Stands in for AWS KMS, for GetPublicKey and Sign of digests. It recomputes the signature of each request by the rules
 * of SigV4, which are implemented here once more. Its errors are those of AWS.
 */
export class KmsStandIn {
  readonly keys = new Map<string, StandInKey>();
  readonly accessKeys = new Map([
    [ACCESS_KEY.accessKeyId, { secret: ACCESS_KEY.secretAccessKey, token: "" }],
  ]);
  /** `Action key` of each call whose signature was right. */
  readonly calls: string[] = [];
  /** Asked for each call; without harm it is answered. */
  harm: (action: string) => KmsHarm | undefined = () => undefined;
  /** How far its clock is ahead of that of this machine. */
  aheadMs = 0;
  readonly #server: ReturnType<typeof createHttpServer>;
  readonly #scheme: string;

  private constructor(server: ReturnType<typeof createHttpServer>, scheme: string) {
    this.#server = server;
    this.#scheme = scheme;
    server.on("request", async (request: IncomingMessage, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      const answer = this.#answer(request, body);
      if (answer === "drop") request.socket.destroy();
      if (typeof answer === "string") return;
      const isHtml = "html" in answer;
      const { status = 200, ...content } = answer as { status?: number; html?: string };
      response.writeHead(status, {
        "content-type": isHtml ? "text/html" : "application/x-amz-json-1.1",
        date: new Date(Date.now() + this.aheadMs).toUTCString(),
      });
      response.end(isHtml ? answer.html : JSON.stringify(content));
    });
  }

  static async start(options: { certificate?: Certificate } = {}): Promise<KmsStandIn> {
    const { certificate } = options;
    const standIn = certificate
      ? new KmsStandIn(createHttpsServer(certificate), "https")
      : new KmsStandIn(createHttpServer(), "http");
    standIn.#server.listen(0, "127.0.0.1");
    await once(standIn.#server, "listening");
    return standIn;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get endpoint(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}`;
  }

  arnOf(keyId: string): string {
    return `arn:aws:kms:${REGION}:${ACCOUNT}:${keyId.startsWith("alias/") ? keyId : `key/${keyId}`}`;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #answer(request: IncomingMessage, body: string): object | "drop" | "stall" {
    const action = String(request.headers["x-amz-target"]).replace("TrentService.", "");
    const harm = this.harm(action);
    if (typeof harm === "string") return harm;
    const problem = this.#problemOf(request, body) ?? harm;
    if (problem !== undefined) return "html" in problem ? problem : { status: 400, ...problem };
    const asked = JSON.parse(body) as Record<string, string>;
    const keyId = (asked.KeyId ?? "").replace(/^arn:.*:(?:key\/)?/, "");
    this.calls.push(`${action} ${keyId}`);
    const key = this.keys.get(keyId);
    const KeyId = this.arnOf(keyId);
    if (key === undefined) {
      return { status: 400, __type: "NotFoundException", message: `Key '${KeyId}' does not exist` };
    }
    const { KeySpec, KeyUsage } = key;
    if (action === "GetPublicKey") {
      const PublicKey = Buffer.from(key.publicKey).toString("base64");
      return { KeyId, KeySpec, CustomerMasterKeySpec: KeySpec, KeyUsage, PublicKey };
    }
    const SigningAlgorithm = KeySpec.startsWith("RSA") ? "RSASSA_PKCS1_V1_5_SHA_256" : "ECDSA_SHA_256";
    const digest = Buffer.from(asked.Message ?? "", "base64");
    if (
      asked.MessageType !== "DIGEST" ||
      asked.SigningAlgorithm !== SigningAlgorithm ||
      digest.length !== 32
    ) {
      return { status: 400, __type: "ValidationException", message: body };
    }
    return { KeyId, SigningAlgorithm, Signature: Buffer.from(key.sign(digest)).toString("base64") };
  }

  /** Why AWS refuses the signature of a request. */
  #problemOf({ method = "", url = "/", headers }: IncomingMessage, body: string): AwsError | undefined {
    const refused = (type: string, message: string) => ({ __type: `${type}Exception`, message });
    const written =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
        headers.authorization ?? "",
      );
    if (!written) return refused("IncompleteSignature", "no signature");
    const [, id = "", day = "", region = "", service = "", signed = "", signature = ""] = written;
    const known = this.accessKeys.get(id);
    if (known === undefined || (headers["x-amz-security-token"] ?? "") !== known.token) {
      return refused("UnrecognizedClient", "The security token included in the request is invalid.");
    }
    const time = String(headers["x-amz-date"]);
    const scope = `${day}/${region}/${service}/aws4_request`;
    if (region !== REGION || service !== "kms") {
      return refused("InvalidSignature", "Credential should be scoped to a valid region.");
    }
    const [path = "/", query = ""] = url.split("?");
    const names = signed.split(";");
    const mustBeSigned = [
      "host",
      "x-amz-date",
      "x-amz-target",
      ...(known.token ? ["x-amz-security-token"] : []),
    ];
    if (!mustBeSigned.every((name) => names.includes(name))) return refused("IncompleteSignature", signed);
    const canonical = [
      ...[method, path, query],
      ...names.map((name) => `${name}:${String(headers[name]).trim()}`),
      ...["", signed, sha256(body)],
    ].join("\n");
    const toSign = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
    const signingKey = [day, region, service, "aws4_request"].reduce<Buffer>(
      (key, part) => hmac(key, part),
      Buffer.from(`AWS4${known.secret}`),
    );
    if (hmac(signingKey, toSign).toString("hex") !== signature) {
      const message = `The request signature we calculated does not match the signature you provided. The Canonical String for this request should have been '${canonical}'`;
      return refused("InvalidSignature", message);
    }
    const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
    const behindMs = Date.now() + this.aheadMs - at;
    if (Math.abs(behindMs) > MAX_SKEW_MS) {
      const what = behindMs > 0 ? "Signature expired" : "Signature not yet current";
      return refused("InvalidSignature", `${what}: ${time} is now outside of five minutes`);
    }
    return undefined;
  }
}

/** A key on secp256k1. Half of its signatures have a high s, as those of AWS do. */
export function ecdsaKey(secret: Uint8Array = secp256k1.utils.randomSecretKey()): StandInKey {
  const point = Buffer.from(secp256k1.getPublicKey(secret, false));
  return {
    ...{ KeySpec: "ECC_SECG_P256K1", KeyUsage: "SIGN_VERIFY" },
    publicKey: Buffer.concat([SPKI_SECP256K1, point]),
    sign: (digest) => secp256k1.sign(digest, secret, { prehash: false, lowS: false, format: "der" }),
  };
}

/** An RSA key of this many bits. */
export function rsaKey(bits = 2048): StandInKey {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: bits });
  return {
    ...{ KeySpec: `RSA_${bits}`, KeyUsage: "SIGN_VERIFY" },
    publicKey: derOf(publicKey),
    sign: (digest) => {
      const signature = rsaSign(privateKey, `0x${Buffer.from(digest).toString("hex")}`);
      return Buffer.from(signature.slice(2), "hex");
    },
  };
}

export function derOf(publicKey: KeyObject): Uint8Array {
  return publicKey.export({ type: "spki", format: "der" });
}

/** What an SPKI of secp256k1 begins with; the uncompressed point follows. */
const SPKI_SECP256K1 = Buffer.from("3056301006072a8648ce3d020106052b8104000a034200", "hex");

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
