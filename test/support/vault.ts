import { generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import type { Hex } from "../../src/protocol/index.ts";
import { rsaSign } from "../../src/signing/rsa.ts";
import { type Answer, type Asked, StandIn } from "./stand-in.ts";

type Body = Readonly<Record<string, unknown>>;

export type VaultKey = {
  type: string;
  /** By version, from 1. Those that were archived are left out. */
  versions: Map<number, { privateKey: KeyObject; publicKey: unknown }>;
  latest: number;
  minDecryption: number;
  minEncryption: number;
};

/**
 * In place of HashiCorp Vault where `npm test` cannot have one: it checks every header and body of the transit engine
 * and of two logins, and answers as OpenBao 2.7 does. `npm run check:vault` runs the same against OpenBao itself.
 */
export class VaultServer {
  readonly key = "payments";
  readonly roleId = "e9a7f5c2-role";
  readonly secretId = `secret-id-${randomUUID()}`;
  readonly role = "node-red";
  /** The token of the Kubernetes service account. */
  jwt = "eyJhbGciOi.service.account";
  mount = "transit";
  loginMount = { approle: "approle", kubernetes: "kubernetes" };
  namespace: string | undefined;
  /** Seconds for which it says that the tokens of a login are valid; 0 for ever. */
  lease = 3600;
  /** How often the secret id may be used. */
  secretIdUses = Number.POSITIVE_INFINITY;
  isSealed = false;
  /** What its policies do not permit, as `METHOD path`. */
  readonly denied = new Set<string>();
  /** Changes the data of the next signatures. */
  signature: (made: string) => unknown = (made) => made;
  /** Everything that a client did wrong. */
  readonly problems: string[] = [];
  readonly tokens = new Set(["hvs.root-token"]);
  readonly keys = new Map<string, VaultKey>();
  readonly #standIn: StandIn;
  #logins = 0;

  private constructor(standIn: StandIn) {
    this.#standIn = standIn;
    this.addKey(this.key);
    standIn.answer = (asked) => this.#answer(asked);
  }

  static async start(): Promise<VaultServer> {
    return new VaultServer(await StandIn.start());
  }

  get url(): string {
    return this.#standIn.url;
  }

  get faults(): StandIn["faults"] {
    return this.#standIn.faults;
  }

  get asked(): readonly Asked[] {
    return this.#standIn.asked;
  }

  /** How often a client logged in. */
  get logins(): number {
    return this.#logins;
  }

  addKey(name: string, type = "rsa-2048"): void {
    const key = { type, versions: new Map(), latest: 0, minDecryption: 1, minEncryption: 0 };
    this.keys.set(name, key);
    this.rotate(name);
  }

  rotate(name: string): void {
    const key = this.#key(name);
    key.latest += 1;
    key.versions.set(key.latest, newVersion(key.type));
  }

  /** Versions before this one can no longer be used for anything. */
  archiveBefore(name: string, version: number): void {
    const key = this.#key(name);
    key.minDecryption = version;
    for (const old of [...key.versions.keys()]) if (old < version) key.versions.delete(old);
  }

  /** As PEM. */
  publicKey(name: string, version: number): string {
    const { public_key } = (this.#key(name).versions.get(version)?.publicKey ?? {}) as {
      public_key?: string;
    };
    return String(public_key);
  }

  revokeTokens(): void {
    this.tokens.clear();
  }

  async close(): Promise<void> {
    await this.#standIn.close();
  }

  #key(name: string): VaultKey {
    const key = this.keys.get(name);
    if (!key) throw new Error(`There is no key ${name}.`);
    return key;
  }

  #answer(asked: Asked): Answer {
    if (this.isSealed) return failed(503, "Vault is sealed");
    const { method, path, headers, body } = asked;
    if (!path.startsWith("/v1/")) return this.#wrong(404, `not a path of the API: ${path}`);
    if (headers["x-vault-request"] !== "true") return this.#wrong(412, "missing 'X-Vault-Request' header");
    if (headers["x-vault-namespace"] !== this.namespace) return failed(404, "namespace not found");
    const parts = path.slice("/v1/".length).split("/").map(decodeURIComponent);
    const route = parts.join("/");
    const json = method === "POST" ? (JSON.parse(body.toString()) as Body) : {};
    if (method === "POST" && route.startsWith("auth/")) return this.#logIn(route, json);
    const isKnown = this.tokens.has(String(headers["x-vault-token"]));
    if (!isKnown || this.denied.has(`${method} ${route}`)) {
      return failed(403, "1 error occurred:\n\t* permission denied\n\n");
    }
    if (!route.startsWith(`${this.mount}/`))
      return failed(404, `no handler for route "${route}". route entry not found.`);
    const [verb, name = "", ...others] = route.slice(this.mount.length + 1).split("/");
    if (others.length > 0) return this.#wrong(404, `unsupported path: ${route}`);
    if (method === "GET" && verb === "keys") return this.#read(name);
    if (method === "POST" && verb === "sign") return this.#sign(name, json);
    return this.#wrong(405, `unsupported operation: ${method} ${route}`);
  }

  #logIn(route: string, body: Body): Answer {
    const isAppRole = route === `auth/${this.loginMount.approle}/login`;
    if (!isAppRole && route !== `auth/${this.loginMount.kubernetes}/login`)
      return failed(403, "permission denied");
    const expected = isAppRole
      ? { role_id: this.roleId, secret_id: this.secretId }
      : { role: this.role, jwt: this.jwt };
    if (Object.keys(body).join() !== Object.keys(expected).join())
      return this.#wrong(400, "wrong fields of a login");
    if (JSON.stringify(body) !== JSON.stringify(expected) || (isAppRole && this.secretIdUses <= 0)) {
      return isAppRole ? failed(400, "invalid role or secret ID") : failed(403, "permission denied");
    }
    if (isAppRole) this.secretIdUses -= 1;
    this.#logins += 1;
    const client_token = `hvs.of-login-${this.#logins}`;
    this.tokens.add(client_token);
    const auth = {
      client_token,
      lease_duration: this.lease,
      renewable: true,
      mfa_requirement: null,
      num_uses: 0,
    };
    return { status: 200, body: { data: null, wrap_info: null, auth } };
  }

  #read(name: string): Answer {
    const key = this.keys.get(name);
    if (!key) return { status: 404, body: { errors: [] } };
    const versions = [...key.versions].map(([version, { publicKey }]) => [String(version), publicKey]);
    return found({
      ...{ name, type: key.type, keys: Object.fromEntries(versions), latest_version: key.latest },
      ...{ min_decryption_version: key.minDecryption, min_encryption_version: key.minEncryption },
      ...{ min_available_version: 0, derived: false, exportable: false, supports_signing: true },
    });
  }

  #sign(name: string, body: Body): Answer {
    const key = this.keys.get(name);
    if (!key) return failed(400, "signing key not found");
    const { input, key_version, ...how } = body;
    const expected = { prehashed: true, hash_algorithm: "sha2-256", signature_algorithm: "pkcs1v15" };
    if (JSON.stringify(how) !== JSON.stringify(expected))
      return this.#wrong(400, "wrong fields of a signature");
    const digest = Buffer.from(String(input), "base64");
    if (digest.length !== 32 || digest.toString("base64") !== input)
      return this.#wrong(500, "input must be hashed message");
    if (typeof key_version !== "number") return this.#wrong(400, "no version of the key");
    const refused = (why: string) =>
      failed(500, `1 error occurred:\n\t* requested version for signing is ${why}\n\n`);
    if (key_version > key.latest) return refused("higher than the latest key version");
    if (key_version < key.minEncryption) return refused("less than the minimum encryption key version");
    const version = key.versions.get(key_version);
    if (!version) return refused("less than the minimum decryption key version");
    const made = Buffer.from(
      rsaSign(version.privateKey, `0x${digest.toString("hex")}` as Hex).slice(2),
      "hex",
    );
    const signature = this.signature(`vault:v${key_version}:${made.toString("base64")}`);
    return found({ key_version, signature });
  }

  #wrong(status: number, problem: string): Answer {
    this.problems.push(problem);
    return failed(status, problem);
  }
}

function newVersion(type: string): { privateKey: KeyObject; publicKey: unknown } {
  const spki = (key: KeyObject) => key.export({ type: "spki", format: "pem" }).toString();
  if (type === "ed25519") {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    return { privateKey, publicKey: { name: type, public_key: publicKey.export({ format: "jwk" }).x } };
  }
  const bits = Number(/^rsa-(\d+)$/.exec(type)?.[1] ?? 0);
  const { privateKey, publicKey } =
    bits > 0
      ? generateKeyPairSync("rsa", { modulusLength: bits })
      : generateKeyPairSync("ec", { namedCurve: "P-256" });
  // Of a symmetric key, the time of its creation.
  if (type.startsWith("aes")) return { privateKey, publicKey: 1_795_426_906 };
  return { privateKey, publicKey: { name: type, public_key: spki(publicKey) } };
}

function found(data: Body): Answer {
  return { status: 200, body: { request_id: "1", data, wrap_info: null, warnings: null, auth: null } };
}

function failed(status: number, error: string): Answer {
  return { status, body: { errors: [error] } };
}
