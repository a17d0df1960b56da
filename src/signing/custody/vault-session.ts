import { readFile } from "node:fs/promises";
import { ArgumentError } from "../../errors.ts";
import { name, text } from "../../options/index.ts";
import { badAnswer, type CustodianAnswer, refusalOf, saidBy } from "./custodian-answers.ts";
import { type CustodianCall, CustodianClient } from "./custodian-client.ts";
import type { CustodyOptions } from "./custody-signer.ts";
import { SignerError } from "./signer-error.ts";

/** How a signer gets its token. */
export type VaultLogin =
  /** A token that exists already. It is not renewed. */
  | { method: "token"; token: string }
  | {
      method: "approle";
      roleId: string;
      secretId: string;
      /** @default "approle" */
      mount?: string | undefined;
    }
  | {
      method: "kubernetes";
      role: string;
      /** @default "kubernetes" */
      mount?: string | undefined;
      /** Of the service account, read at each login. @default the file that Kubernetes mounts into a pod */
      tokenFile?: string | undefined;
    };

type SessionOptions = CustodyOptions & { url: string; namespace?: string | undefined; login: VaultLogin };
/** `replaceAt`: by `performance.now`. */
type Token = { text: string; replaceAt: number };
type VaultCall = Omit<CustodianCall, "headers" | "secrets" | "isFinal">;
type Data = Readonly<Record<string, unknown>>;

export const VAULT = "Vault";
const TOKEN_FILE = "/var/run/secrets/kubernetes.io/serviceaccount/token";
/** The part of its lifetime after which a token is replaced. */
const REPLACED_AFTER = 0.8;
/** OpenBao answers with 500 where a version of the key may not sign. */
const WRONG_VERSION = /requested version/;
/** A replica that has to catch up, and secondaries. */
const UNAVAILABLE = [412, 472, 473];

/** Calls Vault with a token, and logs in for it. */
export class VaultSession {
  readonly #login: VaultLogin;
  readonly #headers: Record<string, string>;
  readonly #client: CustodianClient;
  #token: Token | undefined;
  #loggingIn: Promise<Token> | undefined;

  /** @throws {ArgumentError} */
  constructor({ url, namespace = "", login, tls, proxy }: SessionOptions) {
    if (/\/v1\/*$/.test(url)) {
      throw new ArgumentError("url", "url must be the address of Vault without /v1. It is added.");
    }
    const path = namespace.trim().replace(/^\/+|\/+$/g, "");
    if (/[^\x20-\x7e]/.test(path)) {
      throw new ArgumentError(
        "namespace",
        "namespace must be the path of a namespace, such as team/payments.",
      );
    }
    this.#login = checkLogin(login);
    this.#headers = {
      "content-type": "application/json",
      // An agent in between can require it: a web page cannot make a browser send it.
      "x-vault-request": "true",
      ...(path === "" ? {} : { "x-vault-namespace": path }),
    };
    this.#client = new CustodianClient({
      ...{ custodian: VAULT, baseUrl: url, tls, proxy },
      secrets: login.method === "approle" ? [login.secretId.trim()] : [],
    });
  }

  /**
   * The `data` of an answer. `path` begins with a mount. After a 403 it logs in again, once: the token may have been
   * revoked.
   * @throws {SignerError}
   */
  async call(call: VaultCall): Promise<Data> {
    for (let isSecond = false; ; isSecond = true) {
      const known = this.#token;
      const token = await this.#currentToken(call.withinMs);
      const answer = await this.#request({ ...call, secrets: [token.text] }, { "x-vault-token": token.text });
      const mayBeRevoked = answer.status === 403 && token === known && this.#login.method !== "token";
      if (isSecond || !mayBeRevoked) return dataOf(answer, call.path);
      if (this.#token === token) this.#token = undefined;
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #request(call: CustodianCall, headers: Record<string, string> = {}): Promise<CustodianAnswer> {
    return this.#client.call({
      ...call,
      path: `/v1/${call.path}`,
      isFinal: ({ status, text }) => status === 500 && WRONG_VERSION.test(text),
      headers: { ...this.#headers, ...headers },
    });
  }

  /** One login serves all calls. */
  async #currentToken(withinMs: number | undefined): Promise<Token> {
    if (this.#token && performance.now() < this.#token.replaceAt) return this.#token;
    this.#loggingIn ??= this.#logIn(withinMs).finally(() => {
      this.#loggingIn = undefined;
    });
    this.#token = await this.#loggingIn;
    return this.#token;
  }

  async #logIn(withinMs: number | undefined): Promise<Token> {
    const login = this.#login;
    if (login.method === "token") return { text: login.token.trim(), replaceAt: Number.POSITIVE_INFINITY };
    const { mount = login.method } = login;
    const jwt = login.method === "kubernetes" ? await serviceAccountToken(login.tokenFile) : "";
    const credentials =
      login.method === "approle"
        ? { role_id: login.roleId.trim(), secret_id: login.secretId.trim() }
        : { role: login.role.trim(), jwt };
    const path = `auth/${mountOf("login.mount", mount)}/login`;
    const answer = await this.#request({
      ...{ method: "POST", path, body: JSON.stringify(credentials), secrets: [jwt] },
      // A secret id may be valid for a number of logins.
      repeats: login.method !== "approle",
      isLogin: login.method === "approle",
      withinMs,
    });
    return tokenIn(answer, path);
  }
}

/** The path of a mount, as it stands in an address. @throws {ArgumentError} */
export function mountOf(option: string, mount: string): string {
  const path = typeof mount === "string" ? mount.trim().replace(/^\/+|\/+$/g, "") : "";
  const parts = path.split("/");
  if (!parts.some((part) => part === "" || part === "." || part === "..")) {
    return parts.map(encodeURIComponent).join("/");
  }
  throw new ArgumentError(option, `${option} must be a path in Vault, such as transit or team/transit.`);
}

/** @throws {ArgumentError} */
export function checkLogin(login: VaultLogin): VaultLogin {
  const methods: Readonly<Record<string, readonly string[]>> = {
    token: ["token"],
    approle: ["roleId", "secretId"],
    kubernetes: ["role"],
  };
  const method = text(login?.method, "login.method");
  const names = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (names === undefined) {
    throw new ArgumentError("login.method", "login.method must be token, approle or kubernetes.");
  }
  for (const required of names) {
    const value = (login as Record<string, unknown>)[required];
    if (typeof value === "string" && value.trim() !== "" && !/[^\x20-\x7e]/.test(value.trim())) continue;
    throw new ArgumentError(
      `login.${required}`,
      `login.${required} must be text without line breaks, and not empty.`,
    );
  }
  if (login.method !== "token" && login.mount !== undefined) mountOf("login.mount", login.mount);
  if (login.method === "kubernetes" && login.tokenFile !== undefined)
    name(login.tokenFile, "login.tokenFile");
  return login;
}

async function serviceAccountToken(file = TOKEN_FILE): Promise<string> {
  const text = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    const message = `The token of the Kubernetes service account cannot be read (${cause.code}). Check the file ${file}, and that this runs in a pod with a service account.`;
    throw new SignerError("SIGNER_UNAUTHORIZED", message, { cause });
  });
  return text.trim();
}

/** @throws {SignerError} */
function tokenIn(answer: CustodianAnswer, path: string): Token {
  if (answer.status >= 400 && answer.status < 500 && !UNAVAILABLE.includes(answer.status)) {
    const advice =
      "Check role, secret and mount of the login, the namespace, and whether the secret has expired or was used as often as it may be";
    throw refused("SIGNER_UNAUTHORIZED", `refused the login at ${path}`, advice, answer);
  }
  const { auth } = bodyOf(answer, path);
  const { client_token: text, lease_duration, mfa_requirement } = (auth ?? {}) as Data;
  if (mfa_requirement) {
    const message = `${VAULT} asks for a second factor for the login at ${path}. Choose a login without one: a program cannot enter it.`;
    throw new SignerError("SIGNER_UNAUTHORIZED", message);
  }
  if (typeof text !== "string" || text === "") throw badAnswer(VAULT, "token", answer);
  const seconds = Number(lease_duration);
  // 0: it does not expire.
  const replaceAt =
    seconds > 0 ? performance.now() + seconds * 1000 * REPLACED_AFTER : Number.POSITIVE_INFINITY;
  return { text, replaceAt };
}

/** @throws {SignerError} */
function dataOf(answer: CustodianAnswer, path: string): Data {
  const { status } = answer;
  if (status === 401 || status === 403) {
    const advice =
      "The token has expired or was revoked, or its policies do not permit it: they need read on the key, and update on sign";
    throw refused("SIGNER_UNAUTHORIZED", `does not permit ${path}`, advice, answer);
  }
  if (status === 404) {
    const advice = "Check the mount and the name of the key, and the namespace";
    throw refused("SIGNER_KEY_UNSUITABLE", `has nothing at ${path}`, advice, answer);
  }
  const { data } = bodyOf(answer, path);
  if (typeof data === "object" && data !== null) return data as Data;
  throw badAnswer(VAULT, "data", answer);
}

/** @throws {SignerError} */
function bodyOf(answer: CustodianAnswer, path: string): Data {
  const { status, json } = answer;
  if (UNAVAILABLE.includes(status)) {
    const advice = "Use the address of the active server, or try again later";
    throw refused("SIGNER_UNAVAILABLE", "is a standby or secondary server", advice, answer);
  }
  if (status >= 500) {
    throw refused("SIGNER_UNAVAILABLE", `cannot answer at ${path}`, "Try again later", answer);
  }
  if (status < 200 || status >= 300) {
    throw refusalOf(VAULT, answer);
  }
  if (typeof json !== "object" || json === null) throw badAnswer(VAULT, "JSON", answer);
  if ((json as Data).wrap_info) {
    const message = `${VAULT} holds its answer at ${path} back, in a wrapping token: a control group waits for other people, or a policy requires wrapping. The signer cannot unwrap it. Allow the path without both.`;
    throw new SignerError("SIGNER_REFUSED", message, { state: "wrapped" });
  }
  return json as Data;
}

function refused(
  code: SignerError["code"],
  what: string,
  advice: string,
  answer: CustodianAnswer,
): SignerError {
  const message = `${VAULT} ${what} (HTTP ${answer.status}). ${advice}. ${saidBy(answer)}`;
  return new SignerError(code, message, { state: String(answer.status) });
}
