import { generateKeyPairSync } from "node:crypto";
import { inspect } from "node:util";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import fc from "fast-check";
import should from "should";
import { type AwsKmsOptions, type AwsKmsSigner, awsKmsSigner } from "../../../src/signing/custody/index.ts";
import { isRsaSignature, recoverSigner, signWith } from "../../../src/signing/index.ts";
import { errorOf } from "../../http/support.ts";
import {
  ACCESS_KEY,
  type AwsError,
  derOf,
  ecdsaKey,
  type KmsHarm,
  KmsStandIn,
  REGION,
  rsaKey,
} from "../../support/kms.ts";
import { request } from "./sample-request.ts";

const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const KEY_ID = "1234abcd-12ab-34cd-56ef-1234567890ab";

describe("a key in AWS KMS", () => {
  let kms: KmsStandIn;
  const open: AwsKmsSigner[] = [];

  beforeEach(async () => {
    kms = await KmsStandIn.start();
    kms.keys.set(KEY_ID, ecdsaKey());
  });
  afterEach(async () => {
    for (const signer of open.splice(0)) await signer.close();
    await kms.close();
  });

  const opened = async (change: Partial<AwsKmsOptions> = {}) => {
    const given = { keyId: KEY_ID, region: REGION, endpoint: kms.endpoint, credentials: ACCESS_KEY };
    const signer = await awsKmsSigner({ ...given, ...change });
    open.push(signer);
    return signer;
  };

  it("signs the digest itself, for its address", async () => {
    const signer = await opened();
    should(signer).have.properties({ kind: "ecdsa", custodian: "AWS KMS", timeoutMs: 60_000 });
    const signature = await signWith(signer, request);
    should(recoverSigner(request.digest, signature)).equal(signer.kind === "ecdsa" && signer.address);
    should(kms.calls).deepEqual([`GetPublicKey ${KEY_ID}`, `Sign ${KEY_ID}`]);
  });

  it("fetches the public key once", async () => {
    const signer = await opened();
    for (let round = 0; round < 3; round++) await signWith(signer, request);
    should(kms.calls.filter((call) => call.startsWith("GetPublicKey"))).have.length(1);
  });

  it("comes to low s and v 27 or 28, whatever key and digest", async function () {
    this.timeout(30_000);
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const secret = bytes.filter((given) => secp256k1.utils.isValidSecretKey(given));
    const seen = new Set<string>();
    let high = 0;
    await fc.assert(
      fc.asyncProperty(secret, fc.array(bytes, { minLength: 3, maxLength: 3 }), async (key, digests) => {
        const made = ecdsaKey(key);
        kms.keys.set("alias/any", made);
        const signer = await awsKmsSigner({
          ...{ keyId: "alias/any", region: REGION, endpoint: kms.endpoint, credentials: ACCESS_KEY },
        });
        for (const given of digests) {
          const digest = `0x${Buffer.from(given).toString("hex")}` as const;
          const signature = await signer.sign({ ...request, digest });
          should(recoverSigner(digest, signature)).equal(signer.kind === "ecdsa" && signer.address);
          should(BigInt(`0x${signature.slice(66, 130)}`) <= HALF_ORDER).be.true();
          seen.add(signature.slice(130));
          if (secp256k1.Signature.fromBytes(made.sign(given), "der").s > HALF_ORDER) high += 1;
        }
        await signer.close();
      }),
      { numRuns: 12 },
    );
    should([...seen].sort()).deepEqual(["1b", "1c"]);
    should(high).be.above(0);
  });

  // Found by trial: with this key, these digests have a short r and a short s.
  for (const [what, count] of [
    ["r", 605],
    ["s", 1266],
  ] as const) {
    it(`reads a signature whose ${what} is shorter than 32 bytes`, async () => {
      const key = ecdsaKey(new Uint8Array(32).fill(7));
      const digest = Buffer.alloc(32, 7);
      digest.writeUInt32BE(count);
      should(key.sign(digest)).have.length(69);
      kms.keys.set(KEY_ID, key);
      const signer = await opened();
      const signature = await signer.sign({ ...request, digest: `0x${digest.toString("hex")}` });
      should(signature).match(what === "r" ? /^0x00[0-9a-f]{128}$/ : /^0x[0-9a-f]{64}00[0-9a-f]{64}$/);
    });
  }

  it("signs for a wallet of type rsa with an RSA key of 2048 bits", async () => {
    kms.keys.set(KEY_ID, rsaKey());
    const signer = await opened();
    if (signer.kind !== "rsa") throw new Error("not an RSA key");
    should(signer.publicKey.e).equal("0x010001");
    const signature = await signWith(signer, request);
    should(isRsaSignature(signer.publicKey, request.digest, signature)).be.true();
  });

  it("is named by its id, its ARN or an alias; the region is that of the ARN", async () => {
    kms.keys.set("alias/payments", ecdsaKey());
    for (const keyId of [KEY_ID, kms.arnOf(KEY_ID), "alias/payments", kms.arnOf("alias/payments")]) {
      const region = keyId.startsWith("arn:") ? undefined : REGION;
      await signWith(await opened({ keyId, region }), request);
    }
    should(kms.calls).have.length(8);
  });

  it("is used with temporary credentials", async () => {
    const temporary = {
      accessKeyId: "ASIA0000000000000001",
      secretAccessKey: "s",
      sessionToken: "to/ken+==",
    };
    kms.accessKeys.set(temporary.accessKeyId, { secret: "s", token: temporary.sessionToken });
    await signWith(await opened({ credentials: temporary }), request);
  });

  describe("whose signature is wrong", () => {
    const kinds: Array<[string, (digest: Uint8Array) => Uint8Array]> = [
      ["of a digest that was hashed again", (digest) => secp256k1.sign(digest, SECRET, { format: "der" })],
      ["of another key", (digest) => ecdsaKey().sign(digest)],
      ["of another digest", () => ecdsaKey(SECRET).sign(Buffer.alloc(32, 1))],
    ];
    const SECRET = secp256k1.utils.randomSecretKey();
    for (const [what, sign] of kinds) {
      it(`does not sign with one ${what}`, async () => {
        kms.keys.set(KEY_ID, { ...ecdsaKey(SECRET), sign });
        const error = await errorOf((await opened()).sign(request));
        should(error).have.properties({ code: "SIGNATURE_MISMATCH" });
        should(error.message).match(/Nothing was submitted\. If the signer uses an alias/);
      });
    }

    it("does not sign with one of another RSA key", async () => {
      kms.keys.set(KEY_ID, { ...rsaKey(), sign: rsaKey().sign });
      should((await errorOf((await opened()).sign(request))).code).equal("SIGNATURE_MISMATCH");
    });

    for (const [what, bytes] of [
      ["no bytes", []],
      ["bytes that are no DER", [1, 2, 3]],
      ["r and s of zero", [0x30, 6, 2, 1, 0, 2, 1, 0]],
    ] as const) {
      it(`says so for ${what}`, async () => {
        kms.keys.set(KEY_ID, { ...ecdsaKey(), sign: () => Uint8Array.from(bytes) });
        const { code } = await errorOf((await opened()).sign(request));
        should(code).equalOneOf("SIGNER_BAD_ANSWER", "SIGNATURE_MISMATCH");
      });
    }
  });

  describe("that no wallet takes", () => {
    const p256 = derOf(generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey);
    const cases: Array<[string, object, string, RegExp]> = [
      [
        "on another curve",
        { KeySpec: "ECC_NIST_P256" },
        "SIGNER_KEY_UNSUITABLE",
        /key spec ECC_NIST_P256, and no/,
      ],
      [
        "for encryption",
        { KeyUsage: "ENCRYPT_DECRYPT" },
        "SIGNER_KEY_UNSUITABLE",
        /usage ENCRYPT_DECRYPT, and/,
      ],
      [
        "of RSA with 3072 bits",
        { KeySpec: "RSA_3072" },
        "SIGNER_KEY_UNSUITABLE",
        /RSA_2048 for a wallet of type/,
      ],
      ["of an unknown kind", { KeySpec: "<b>\n" }, "SIGNER_KEY_UNSUITABLE", /key spec unknown/],
      ["without a public key", { publicKey: [] }, "SIGNER_BAD_ANSWER", /without a public key/],
      ["whose public key is another", { publicKey: p256 }, "SIGNER_BAD_ANSWER", /without a public key/],
      ["whose RSA key is none", { KeySpec: "RSA_2048" }, "SIGNER_BAD_ANSWER", /without a public key/],
    ];
    for (const [what, change, code, sentence] of cases) {
      it(`says so for one ${what}`, async () => {
        kms.keys.set(KEY_ID, { ...ecdsaKey(), ...change });
        const error = await errorOf(opened());
        should(error).have.properties({ code, retryable: false });
        should(error.message).match(sentence).and.containEql(KEY_ID);
      });
    }
  });

  describe("that AWS refuses", () => {
    const cases: Array<[string, string, AwsError, RegExp]> = [
      [
        ...(["for lack of a permission", "SIGNER_UNAUTHORIZED"] as const),
        {
          __type: "AccessDeniedException",
          message: "User: arn:aws:iam::1:user/a is not authorized to perform: kms:Sign on resource: x",
        },
        /Allow kms:GetPublicKey and kms:Sign .* It said: User: arn:aws:iam::1:user\/a is not authorized/,
      ],
      [
        ...(["because a session has expired", "SIGNER_UNAUTHORIZED"] as const),
        { __type: "ExpiredTokenException", message: "The security token included in the request is expired" },
        /have expired\. Enter new ones/,
      ],
      [
        ...(["because it is disabled", "SIGNER_KEY_UNSUITABLE"] as const),
        { __type: "DisabledException", message: "is disabled." },
        /is disabled\. Enable it/,
      ],
      [
        ...(["because it is to be deleted", "SIGNER_KEY_UNSUITABLE"] as const),
        { __type: "KMSInvalidStateException", message: "is pending deletion." },
        /cancel that in AWS KMS.* It said: is pending deletion \(/,
      ],
      [
        ...(["because it is symmetric", "SIGNER_KEY_UNSUITABLE"] as const),
        { __type: "UnsupportedOperationException" },
        /symmetric.*Create a key with key usage SIGN_VERIFY and key spec ECC_SECG_P256K1/,
      ],
      [
        ...(["for another reason", "SIGNER_UNAVAILABLE"] as const),
        { __type: "InvalidGrantTokenException", message: "the grant" },
        /not accept the request \(InvalidGrantToken, HTTP 400\), which is not a decision\. Nothing was submitted.* It said: the grant/,
      ],
    ];
    for (const [what, code, harm, sentence] of cases) {
      it(`says what to do ${what}, and asks once`, async () => {
        const signer = await opened();
        let asked = 0;
        kms.harm = () => {
          asked += 1;
          return harm;
        };
        const error = await errorOf(signWith(signer, request));
        const retryable = code === "SIGNER_UNAVAILABLE";
        should(error).have.properties({ code, retryable, isAsked: retryable, state: harm.__type });
        should(error.message).match(sentence).and.endWith(` (${KEY_ID}, ${REGION}).`);
        should(asked).equal(1);
      });
    }

    it("takes a name of an error that is none for what it is", async () => {
      for (const [__type, state] of [
        ["constructor", "constructor"],
        ["com.amazon.coral.service#OddException", "OddException"],
        ["<b>\n", "unknown"],
      ] as const) {
        kms.harm = () => ({ __type, message: "why" });
        const error = await errorOf(opened());
        should(error).have.properties({ code: "SIGNER_UNAVAILABLE", state });
        should(error.message).not.match(/<b>/);
      }
      kms.harm = () => ({ __type: "com.amazon.coral.service#ExpiredTokenException" });
      should((await errorOf(opened())).code).equal("SIGNER_UNAUTHORIZED");
    });

    it("says which region has no such key, and how an alias is written", async () => {
      const error = await errorOf(opened({ keyId: "payments" }));
      should(error.code).equal("SIGNER_KEY_UNSUITABLE");
      should(error.message).match(/no such key in eu-central-1\. An alias is written alias\/name/);
      should((await errorOf(opened({ keyId: "alias/none" }))).message).not.match(/An alias is written/);
    });

    it("says that the region of the endpoint is another", async () => {
      const error = await errorOf(opened({ region: "us-east-1" }));
      should(error.code).equal("SIGNER_UNAUTHORIZED");
      should(error.message).match(/endpoint belongs to another region/);
    });

    it("says that the access key is unknown", async () => {
      const error = await errorOf(
        opened({ credentials: { ...ACCESS_KEY, accessKeyId: "AKIAUNKNOWN000000000" } }),
      );
      should(error.code).equal("SIGNER_UNAUTHORIZED");
      should(error.message).match(/does not know the access key/);
    });

    it("says that the secret is wrong, and shows neither it nor a session token", async () => {
      const wrong = {
        accessKeyId: "ASIA0000000000000001",
        secretAccessKey: "wrong-secret",
        sessionToken: "tok-en",
      };
      kms.accessKeys.set(wrong.accessKeyId, { secret: "other", token: wrong.sessionToken });
      const error = await errorOf(opened({ credentials: wrong }));
      should(error.code).equal("SIGNER_UNAUTHORIZED");
      should(error.message).match(/secret access key does not belong to the access key id/);
      should(inspect(error, { depth: 9, showHidden: true })).not.match(/wrong-secret|tok-en/);
    });

    it("shows no secret in the signer", async () => {
      should(inspect(await opened(), { depth: 9, showHidden: true })).not.containEql(
        ACCESS_KEY.secretAccessKey,
      );
    });

    it("shows no secret that AWS repeats", async () => {
      kms.harm = () => ({
        __type: "AccessDeniedException",
        message: `no ${ACCESS_KEY.secretAccessKey} here`,
      });
      const error = await errorOf(opened());
      should(error.message).match(/It said: no \*\*\* here/);
      should(inspect(error, { depth: 9, showHidden: true })).not.containEql(ACCESS_KEY.secretAccessKey);
    });
  });

  describe("while the clocks differ", () => {
    for (const minutes of [-60, 60]) {
      it(`signs by the clock of AWS, ${minutes} minutes from this one`, async () => {
        kms.aheadMs = minutes * 60_000;
        await signWith(await opened(), request);
      });
    }

    it("says so where that does not help", async () => {
      kms.harm = () => ({
        __type: "InvalidSignatureException",
        message: "Signature expired: 1 is now earlier than 2",
      });
      const error = await errorOf(opened());
      should(error.code).equal("SIGNER_UNAUTHORIZED");
      should(error.message).match(/clock of this machine differs .* Set the clock/);
    });
  });

  describe("while AWS does not answer as it should", () => {
    const once: Array<[string, KmsHarm]> = [
      ["a throttled call", { __type: "ThrottlingException", message: "Rate exceeded" }],
      ["a failure inside", { status: 500, __type: "KMSInternalException" }],
      ["a page of a gateway", { status: 503, html: "<html>unavailable</html>" }],
    ];
    for (const [what, harm] of once) {
      it(`asks again after ${what}`, async () => {
        const signer = await opened();
        const harms = [harm];
        kms.harm = () => harms.shift();
        await signWith(signer, request);
      });
    }

    for (const [what, harm, sentence] of [
      ["too many requests", { __type: "ThrottlingException" }, /ThrottlingException, asked \d+ times/],
      [
        "a failure",
        { status: 500, __type: "KMSInternalException", message: "inside" },
        /KMSInternalException, asked \d+ times/,
      ],
    ] as Array<[string, KmsHarm, RegExp]>) {
      it(`asks until its time-out after ${what}, and says what it saw`, async () => {
        const signer = await opened({ timeoutMs: 700 });
        kms.harm = () => harm;
        const states: string[] = [];
        const onState = ({ state }: { state: string }) => states.push(state);
        const error = await errorOf(signWith(signer, request, { onState }));
        should(error).have.property("code", "SIGNER_TIMEOUT");
        should(error.message).match(sentence);
        should(states.at(-1)).match(sentence);
      });
    }

    for (const status of [200, 302, 404]) {
      it(`says that a page with HTTP ${status} is no answer of KMS`, async () => {
        kms.harm = () => ({ status, html: "<html>please sign in</html>" });
        const error = await errorOf(opened());
        should(error).have.properties({ code: "SIGNER_BAD_ANSWER", retryable: false });
        should(error.message).match(/not one of AWS KMS\. Check the endpoint .* whether a proxy answered/);
      });
    }

    it("says that a page with HTTP 403 may be of a proxy", async () => {
      kms.harm = () => ({ status: 403, html: "<html>blocked</html>" });
      const error = await errorOf(opened());
      should(error).have.properties({ code: "SIGNER_UNAUTHORIZED", retryable: false });
      should(error.message).match(/AWS, or a proxy before it, refused the request/);
    });

    it("ends with the time-out of the signer", async () => {
      // Long enough to open it on a loaded machine.
      const signer = await opened({ timeoutMs: 1_000 });
      kms.harm = () => "stall";
      const error = await errorOf(signer.sign(request));
      should(error.code).equal("SIGNER_TIMEOUT");
      should(error.message).match(/within the signer's time-out of 1 s\. Nothing was submitted/);
      should((await errorOf(opened({ timeoutMs: 150 }))).code).equal("SIGNER_TIMEOUT");
    });

    it("ends with its signal, and when it is closed", async () => {
      const signer = await opened();
      kms.harm = () => "stall";
      const abort = new AbortController();
      const [aborted, closed] = [signer.sign(request, { signal: abort.signal }), signer.sign(request)];
      const errors = Promise.all([errorOf(aborted), errorOf(closed)]);
      abort.abort(new Error("enough"));
      await signer.close();
      should((await errors).map(({ code }) => code)).deepEqual(["ABORTED", "CLIENT_CLOSED"]);
      should((await errors)[0].cause).equal(abort.signal.reason);
    });
  });
});
