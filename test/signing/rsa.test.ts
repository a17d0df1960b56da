import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import should from "should";
import type { Hex } from "../../src/protocol/index.ts";
import {
  generatePrivateKey,
  generateRsaPrivateKey,
  isRsaSignature,
  localEcdsaSigner,
  localRsaSigner,
  type RsaPrivateJwk,
  type Signer,
  signRequestOf,
  signWith,
} from "../../src/signing/index.ts";

type RsaCase = { test_key_jwk: RsaPrivateJwk; e: Hex; n: Hex; digest: Hex; signature: Hex };

const { cases } = JSON.parse(
  readFileSync(new URL("../vectors/rsa-signatures.json", import.meta.url), "utf8"),
) as { cases: RsaCase[] };

const operation = {
  id: "7",
  account: "0x1111111111111111111111111111111111111111",
  deadline: "0",
  transactions: [{ to: "0x2222222222222222222222222222222222222222", value: "1", data: "0x" }],
} as const;
const request = signRequestOf(operation, 31337);

describe("an RSA signer", () => {
  for (const [index, { test_key_jwk, e, n, digest, signature }] of cases.entries()) {
    it(`signs worked example ${index + 1}`, async () => {
      const signer = localRsaSigner(test_key_jwk);
      should(await signer.sign({ ...request, digest })).equal(signature);
      // The exponent may have leading zeros or not.
      should(BigInt(signer.publicKey.e)).equal(BigInt(e));
      should(signer.publicKey.n).equal(n);
      should(isRsaSignature({ e, n }, digest, signature)).be.true();
    });
  }

  it("takes a generated key, another one each time", async () => {
    const [one, other] = await Promise.all([generateRsaPrivateKey(), generateRsaPrivateKey()]);
    const signer = localRsaSigner(one);
    should(one).startWith("-----BEGIN PRIVATE KEY-----");
    should(await signWith(signer, request)).match(/^0x[0-9a-f]{512}$/);
    should(signer.publicKey.n).not.equal(localRsaSigner(other).publicKey.n);
  });

  it("accepts both kinds of PEM", async () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const made = await Promise.all(
      (["pkcs1", "pkcs8"] as const).map(async (type) => {
        const signer = localRsaSigner(privateKey.export({ type, format: "pem" }).toString());
        return [signer.publicKey.n, await signWith(signer, request)];
      }),
    );
    should(made[0]).deepEqual(made[1]);
  });

  it("signs nothing but 32 bytes", async () => {
    const [{ test_key_jwk }] = cases as [RsaCase];
    for (const digest of ["0x12", `${request.digest}00`, `0x${request.digest}`] as Hex[]) {
      await should(localRsaSigner(test_key_jwk).sign({ ...request, digest })).be.rejectedWith({
        path: "digest",
        message: /32 bytes as hex/,
      });
    }
  });

  it("accepts an exponent with leading zeros or without", () => {
    const [{ n, digest, signature }] = cases as [RsaCase];
    for (const e of ["0x10001", "0x010001", "0x00010001"] as Hex[]) {
      should(isRsaSignature({ e, n }, digest, signature)).be.true();
    }
  });

  it("rejects a signature of another digest, of another key, or with one bit changed", () => {
    const [{ e, n, digest, signature }, other] = cases as [RsaCase, RsaCase];
    should(isRsaSignature({ e, n }, request.digest, signature)).be.false();
    should(isRsaSignature({ e: other.e, n: other.n }, digest, signature)).be.false();
    const last = signature.endsWith("0") ? "1" : "0";
    should(isRsaSignature({ e, n }, digest, `${signature.slice(0, -1)}${last}` as Hex)).be.false();
    should(isRsaSignature({ e, n }, digest, "0x")).be.false();
    should(isRsaSignature({ e: "0x", n: "0x" }, digest, signature)).be.false();
    should(isRsaSignature({ e, n }, "0x12", signature)).be.false();
  });

  it("rejects keys that no wallet takes, and never quotes one", () => {
    const short = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey;
    const ed = generateKeyPairSync("ed25519").privateKey;
    for (const [key, why] of [
      [short.export({ type: "pkcs8", format: "pem" }).toString(), /2048 bits, and this one has 1024/],
      [ed.export({ type: "pkcs8", format: "pem" }).toString(), /is of type ed25519/],
      ["-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----", /PEM/],
      ["", /PEM/],
    ] as const) {
      should(() => localRsaSigner(key)).throw({
        code: "INVALID_PRIVATE_KEY",
        path: "privateKey",
        message: why,
      });
      try {
        localRsaSigner(key);
      } catch (error) {
        if (key !== "") should(inspect(error)).not.containEql(key.split("\n")[1] ?? "");
      }
    }
  });
});

describe("a signature", () => {
  it("of a remote signer is verified before it is used", async () => {
    const mine = localEcdsaSigner(generatePrivateKey());
    const another = localEcdsaSigner(generatePrivateKey());
    const remote = (
      signer: Pick<Signer, "address" | "publicKey" | "kind">,
      sign: Signer["sign"],
    ): Signer => ({
      ...signer,
      sign,
    });
    const { address } = mine;
    should(await signWith(remote({ kind: "ecdsa", address }, mine.sign), request)).equal(
      await mine.sign(request),
    );
    await should(signWith(remote({ kind: "ecdsa", address }, another.sign), request)).be.rejectedWith({
      code: "SIGNATURE_MISMATCH",
    });
    const [first, second] = cases as [RsaCase, RsaCase];
    const rsa = localRsaSigner(first.test_key_jwk);
    const { publicKey } = localRsaSigner(second.test_key_jwk);
    should(await signWith(remote({ kind: "rsa" }, rsa.sign), request)).match(/^0x[0-9a-f]{512}$/);
    await should(signWith(remote({ kind: "rsa", publicKey }, rsa.sign), request)).be.rejectedWith({
      code: "SIGNATURE_MISMATCH",
    });
    const signed = await rsa.sign(request);
    for (const made of [await mine.sign(request), `${signed}00`, `x${signed}`] as Hex[]) {
      await should(
        signWith(
          remote({ kind: "rsa" }, async () => made),
          request,
        ),
      ).be.rejectedWith({
        code: "INVALID_SIGNATURE",
        path: "signature",
        message: /256 bytes/,
      });
    }
  });
});
