import { createPublicKey } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import should from "should";
import { type CustodySigner, vaultSigner } from "../../../src/signing/custody/index.ts";
import type { VaultSignerOptions } from "../../../src/signing/custody/vault-signer.ts";
import { signWith } from "../../../src/signing/index.ts";
import { rsaPublicKeyOf } from "../../../src/signing/rsa.ts";
import { errorOf } from "../../http/support.ts";
import { eventually } from "../../support/eventually.ts";
import { VaultServer } from "../../support/vault.ts";
import { request } from "./sample-request.ts";

const TOKEN = "hvs.root-token";

describe("a signer of Vault", function () {
  this.timeout(30_000);

  let vault: VaultServer;
  const open: CustodySigner[] = [];

  beforeEach(async () => {
    vault = await VaultServer.start();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((signer) => signer.close()));
    await vault.close();
    should(vault.problems).be.empty();
  });

  const signerOf = async (options: Partial<VaultSignerOptions> = {}): Promise<CustodySigner> => {
    const login = { method: "token", token: TOKEN } as const;
    const signer = await vaultSigner({ url: vault.url, key: vault.key, keyVersion: 1, login, ...options });
    open.push(signer);
    return signer;
  };
  const appRole = () => ({ method: "approle", roleId: vault.roleId, secretId: vault.secretId }) as const;
  const refusal = async (promise: Promise<unknown>) => {
    const error = await errorOf(promise);
    const shown = inspect(error, { depth: 9 });
    for (const secret of [...vault.tokens, TOKEN, vault.secretId, vault.jwt])
      should(shown).not.containEql(secret);
    return error;
  };

  it("signs with the version of its key that it names, and knows its public key", async () => {
    const signer = await signerOf();
    const pem = vault.publicKey(vault.key, 1);
    should(signer).have.properties({ kind: "rsa", custodian: "Vault", timeoutMs: 60_000 });
    should(signer.publicKey).deepEqual(rsaPublicKeyOf(createPublicKey(pem)));
    should(await signWith(signer, request)).match(/^0x[0-9a-f]{512}$/);
    should(vault.asked.map(({ method, path }) => `${method} ${path}`)).deepEqual([
      "GET /v1/transit/keys/payments",
      "POST /v1/transit/sign/payments",
    ]);
  });

  it("keeps to its version after a rotation", async () => {
    const signer = await signerOf();
    const before = await signWith(signer, request);
    vault.rotate(vault.key);
    should(await signWith(signer, request)).equal(before);
    const other = await signerOf({ keyVersion: 2 });
    should(other.publicKey).not.deepEqual(signer.publicKey);
    await signWith(other, request);
  });

  it("says why its version may no longer sign", async () => {
    const signer = await signerOf();
    vault.rotate(vault.key);
    const key = vault.keys.get(vault.key);
    if (key) key.minEncryption = 1;
    await signWith(signer, request);
    await signWith(await signerOf(), request);
    if (key) key.minEncryption = 2;
    const held = await refusal(signWith(signer, request));
    should(held).have.property("code", "SIGNER_KEY_UNSUITABLE");
    should(held.message).match(/min_encryption_version is 2\. Each rotation makes a new key.* Lower/);
    vault.archiveBefore(vault.key, 2);
    const archived = await refusal(signWith(signer, request));
    should(archived).have.property("code", "SIGNER_KEY_UNSUITABLE");
    should(archived.message).match(/no longer has version 1: its min_decryption_version is 2/);
    const early = await refusal(signerOf({ keyVersion: 9 }));
    should(early).have.property("code", "SIGNER_KEY_UNSUITABLE");
    should(early.message).match(/has no version 9: the latest is 2/);
    vault.keys.delete(vault.key);
    should(await refusal(signWith(signer, request))).have.property("code", "SIGNER_KEY_UNSUITABLE");
  });

  it("refuses a signature of another version, of another key, or of another form", async () => {
    const signer = await signerOf();
    const made = (signature: unknown) => {
      vault.signature = () => signature;
      return refusal(signWith(signer, request));
    };
    const rest = Buffer.alloc(256, 7).toString("base64");
    const other = await made(`vault:v2:${rest}`);
    should(other).have.property("code", "SIGNER_BAD_ANSWER");
    should(other.message).match(/version 2 of the key instead of version 1\. Each rotation makes a new key/);
    should(await made(`vault:v1:${rest}`)).have.property("code", "SIGNATURE_MISMATCH");
    should(await made("vault:v1:AAAA")).have.property("code", "INVALID_SIGNATURE");
    for (const signature of [undefined, null, rest, "vault:v1:", "vault:v1:!!", 7, { v: 1 }]) {
      should(await made(signature)).have.property("code", "SIGNER_BAD_ANSWER");
    }
  });

  it("takes keys of type rsa-2048 only, and names the type of others", async () => {
    const wrong = {
      "rsa-3072": /has 3072 bits/,
      ed25519: /type ed25519/,
      "aes256-gcm96": /type aes256-gcm96/,
    };
    for (const [type, why] of Object.entries({ ...wrong, "ecdsa-p256": /type ec/ })) {
      vault.addKey(type, type);
      const error = await refusal(signerOf({ key: type }));
      should(error).have.property("code", "SIGNER_KEY_UNSUITABLE");
      should(error.message).match(why);
      should(error.message).match(/Create a key of type rsa-2048/);
    }
  });

  it("finds the key in a namespace and at any mount", async () => {
    vault.namespace = "team/payments";
    vault.mount = "keys of/team";
    const signer = await signerOf({ namespace: "/team/payments/", mount: "/keys of/team/" });
    await signWith(signer, request);
    const place = { namespace: vault.namespace, mount: vault.mount };
    for (const wrong of [{ namespace: "" }, { mount: "transit" }, { key: "other" }]) {
      const error = await refusal(signerOf({ ...place, ...wrong }));
      should(error).have.property("code", "SIGNER_KEY_UNSUITABLE");
      should(error.message).match(/HTTP 404.*Check the mount and the name of the key, and the namespace/);
    }
  });

  describe("logs in", () => {
    it("with AppRole, once for everything", async () => {
      vault.loginMount.approle = "machines/approle";
      const signer = await signerOf({ login: { ...appRole(), mount: "machines/approle" } });
      await Promise.all([1, 2, 3].map(() => signWith(signer, request)));
      should(vault.logins).equal(1);
    });

    it("with the token of the Kubernetes service account, read at each login", async () => {
      const folder = await mkdtemp(join(tmpdir(), "crec-vault-"));
      const tokenFile = join(folder, "token");
      try {
        const login = { method: "kubernetes", role: vault.role, tokenFile } as const;
        const missing = await refusal(signerOf({ login }));
        should(missing).have.property("code", "SIGNER_UNAUTHORIZED");
        should(missing.message).match(/cannot be read \(ENOENT\)/);
        await writeFile(tokenFile, `${vault.jwt}\n`);
        const signer = await signerOf({ login });
        vault.jwt = "another.token.of-the-account";
        vault.revokeTokens();
        should(await refusal(signWith(signer, request))).have.property("code", "SIGNER_UNAUTHORIZED");
        await writeFile(tokenFile, vault.jwt);
        await signWith(signer, request);
        should(vault.logins).equal(2);
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    it("again before a token expires", async () => {
      vault.lease = 0.000_001;
      const signer = await signerOf({ login: appRole() });
      const opened = Date.now();
      // It counts in milliseconds, and the server may answer within one.
      await eventually("another millisecond", () => Date.now() !== opened);
      await signWith(signer, request);
      should(vault.logins).equal(2);
    });

    it("again after a token was revoked, and once only", async () => {
      const signer = await signerOf({ login: appRole() });
      vault.revokeTokens();
      await Promise.all([1, 2, 3].map(() => signWith(signer, request)));
      should(vault.logins).equal(2);
      vault.denied.add(`POST transit/sign/${vault.key}`);
      const error = await refusal(signWith(signer, request));
      should(error).have.properties({ code: "SIGNER_UNAUTHORIZED", state: "403", retryable: false });
      should(error.message).match(
        /does not permit transit\/sign\/payments.*read on the key, and update on sign/,
      );
      should(vault.logins).equal(3);
    });

    it("not again with a token that was given, or with a new one", async () => {
      const signer = await signerOf();
      vault.revokeTokens();
      const count = vault.asked.length;
      should(await refusal(signWith(signer, request))).have.property("code", "SIGNER_UNAUTHORIZED");
      should(vault.asked.length).equal(count + 1);
      vault.denied.add(`GET transit/keys/${vault.key}`);
      should(await refusal(signerOf({ login: appRole() }))).have.property("code", "SIGNER_UNAUTHORIZED");
      should(vault.logins).equal(1);
    });

    it("with AppRole only once where the answer was lost: a secret id may be valid for one login", async () => {
      vault.faults.push("cut after");
      should(await refusal(signerOf({ login: appRole() }))).have.property("code", "SIGNER_UNAVAILABLE");
      should(vault.asked.length).equal(1);
    });

    it("and shows no secret that an answer repeats", async () => {
      const folder = await mkdtemp(join(tmpdir(), "crec-vault-"));
      const tokenFile = join(folder, "token");
      await writeFile(tokenFile, vault.jwt);
      const says = (secret: string) => {
        vault.faults.push({ status: 400, body: { errors: [`what is ${secret}?`] } });
      };
      try {
        says(vault.jwt);
        const kubernetes = { method: "kubernetes", role: vault.role, tokenFile } as const;
        should((await refusal(signerOf({ login: kubernetes }))).message).match(/what is \*\*\*\?/);
        says(vault.secretId);
        should((await refusal(signerOf({ login: appRole() }))).message).match(/what is \*\*\*\?/);
        says(TOKEN);
        should((await refusal(signerOf())).message).match(/what is \*\*\*\?/);
        // The answer to a lost login comes again.
        vault.faults.push("cut after");
        await signerOf({ login: kubernetes });
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    it("and says what to check where that is refused", async () => {
      const refused = async (login: VaultSignerOptions["login"]) => {
        const error = await refusal(signerOf({ login }));
        should(error).have.property("code", "SIGNER_UNAUTHORIZED");
        should(error.message).match(/refused the login at .* \(HTTP 40[03]\)\. Check role, secret and mount/);
      };
      await refused({ ...appRole(), secretId: "another" });
      await refused({ ...appRole(), mount: "elsewhere" });
      vault.secretIdUses = 0;
      await refused(appRole());
      const mfa = { data: null, auth: { client_token: "", mfa_requirement: { mfa_request_id: "1" } } };
      vault.faults.push({ status: 200, body: mfa });
      const error = await refusal(signerOf({ login: appRole() }));
      should(error).have.property("code", "SIGNER_UNAUTHORIZED");
      should(error.message).match(/second factor/);
    });
  });

  it("reads the key again after a lost answer, and asks for a signature once", async () => {
    vault.faults.push("cut before");
    const signer = await signerOf();
    vault.faults.push("cut after");
    const lost = await refusal(signWith(signer, request));
    should(lost).have.properties({ code: "SIGNER_UNAVAILABLE", retryable: true, isAsked: true });
    should(vault.asked.length).equal(3);
    await signWith(signer, request);
  });

  it("says that Vault is sealed, a standby, or holds its answer back", async () => {
    const signer = await signerOf();
    const said = async (status: number, body: unknown, code: string, why: RegExp, times = 1) => {
      vault.faults.push(...Array.from({ length: times }, () => ({ status, body })));
      const error = await refusal(signWith(signer, request));
      should(error).have.property("code", code);
      should(error.message).match(why);
      should(vault.faults.splice(0)).be.empty();
    };
    const leads = { status: 307, headers: { location: "https://active.example/v1/" }, body: "" };
    vault.faults.push(leads);
    should((await refusal(signWith(signer, request))).message).match(
      /redirects to https:\/\/active\.example/,
    );
    await said(472, {}, "SIGNER_UNAVAILABLE", /standby or secondary/);
    await said(473, "", "SIGNER_UNAVAILABLE", /standby or secondary/);
    const wrapped = { data: null, wrap_info: { token: "hvs.CAES", accessor: "1", ttl: 60 } };
    await said(200, wrapped, "SIGNER_REFUSED", /a control group waits for other people/);
    await said(200, "<html>login</html>", "SIGNER_BAD_ANSWER", /sent no JSON/);
    await said(200, { data: null }, "SIGNER_BAD_ANSWER", /sent no data/);
    // It may be unsealed in time.
    const impatient = await signerOf({ timeoutMs: 300 });
    vault.isSealed = true;
    const error = await refusal(impatient.sign(request));
    should(error).have.property("code", "SIGNER_TIMEOUT");
    should(error.message).match(/503, asked /);
    should(String(error.cause)).match(/Vault is sealed/);
  });

  it("refuses options that cannot be right, before it calls anything", async () => {
    const wrong: Array<[Partial<VaultSignerOptions>, string]> = [
      [{ url: `${vault.url}/v1` }, "url"],
      [{ namespace: "a\nb" }, "namespace"],
      [{ mount: "" }, "mount"],
      [{ mount: "a/../b" }, "mount"],
      [{ key: " " }, "key"],
      [{ key: "a/b" }, "key"],
      [{ keyVersion: 0 }, "keyVersion"],
      [{ keyVersion: 1.5 }, "keyVersion"],
      [{ keyVersion: undefined as never }, "keyVersion"],
      [{ timeoutMs: 0 }, "timeoutMs"],
      [{ login: { method: "ldap" } as never }, "login.method"],
      [{ login: { method: "token", token: "" } }, "login.token"],
      [{ login: { method: "token", token: "a\nb" } }, "login.token"],
      [{ login: { ...appRole(), secretId: "" } }, "login.secretId"],
      [{ login: { ...appRole(), mount: "/" } }, "login.mount"],
      [{ login: { method: "kubernetes", role: "" } }, "login.role"],
    ];
    for (const [options, path] of wrong) {
      const error = await refusal(signerOf(options));
      should(error).have.properties({ code: "INVALID_ARGUMENT", path });
    }
    should(vault.asked).be.empty();
  });
});
