import { createPublicKey } from "node:crypto";
import should from "should";
import {
  type AwsCredentials,
  type AwsKmsOptions,
  type AwsKmsSigner,
  awsKmsSigner,
  signRequestOf,
} from "../../src/index.ts";
import { errorOf } from "../http/support.ts";
import { hasMoto, Moto } from "../support/moto.ts";

const CALL = { to: "0x2222222222222222222222222222222222222222", value: "1", data: "0x" };
const request = signRequestOf(
  { id: "1", account: "0x1111111111111111111111111111111111111111", deadline: 0, transactions: [CALL] },
  1,
);

/** What the code of AWS's SDK and this project's own do, seen by an emulator that shares nothing with them. */
(hasMoto() ? describe : describe.skip)("a key in an emulator of AWS", function () {
  this.timeout(60_000);

  let moto: Moto;
  let ecdsa: string;
  let rsa: string;
  let credentials: AwsCredentials;
  let reader: AwsCredentials;
  const open: AwsKmsSigner[] = [];

  before(async () => {
    moto = await Moto.start();
    ecdsa = await moto.createKey("ECC_SECG_P256K1");
    rsa = await moto.createKey("RSA_2048");
    credentials = await moto.createUser("signer", ["kms:GetPublicKey", "kms:Sign"]);
    reader = await moto.createUser("reader", ["kms:GetPublicKey"]);
    await moto.kms("CreateAlias", { AliasName: "alias/payments", TargetKeyId: ecdsa });
    await moto.checkRequests();
  });
  afterEach(async () => {
    for (const signer of open.splice(0)) await signer.close();
  });
  after(() => moto?.remove());

  const opened = async (keyId: string, change: Partial<AwsKmsOptions> = {}) => {
    const { region, endpoint } = moto;
    const signer = await awsKmsSigner({ keyId, region, endpoint, credentials, ...change });
    open.push(signer);
    return signer;
  };

  it("has the address of its public key, by id and by alias", async () => {
    const signers = [await opened(ecdsa), await opened("alias/payments")];
    should(signers.map(({ kind }) => kind)).deepEqual(["ecdsa", "ecdsa"]);
    should(signers[0])
      .have.property("address")
      .match(/^0x[0-9a-fA-F]{40}$/);
    should(signers[0]?.address).equal(signers[1]?.address);
  });

  it("has the exponent and the modulus of an RSA key", async () => {
    const signer = await opened(rsa);
    if (signer.kind !== "rsa") throw new Error("not an RSA key");
    const inBase64 = (hex: string) => Buffer.from(hex.slice(2), "hex").toString("base64url");
    const jwk = { kty: "RSA", e: inBase64(signer.publicKey.e), n: inBase64(signer.publicKey.n) };
    const key = createPublicKey({ key: jwk, format: "jwk" });
    should(key.asymmetricKeyDetails?.modulusLength).equal(2048);
  });

  // It hashes the digest once more: a wallet would refuse such a signature, but only on chain.
  for (const [what, keyOf] of [
    ["an ECDSA key", () => ecdsa],
    ["an RSA key", () => rsa],
  ] as const) {
    it(`is refused for a signature of a digest that was hashed again, by ${what}`, async () => {
      should((await errorOf((await opened(keyOf())).sign(request))).code).equal("SIGNATURE_MISMATCH");
    });
  }

  it("is refused for lack of a permission, and which are needed is said", async () => {
    const signer = await opened(ecdsa, { credentials: reader });
    const error = await errorOf(signer.sign(request));
    should(error.code).equal("SIGNER_UNAUTHORIZED");
    should(error.message).match(/kms:GetPublicKey and kms:Sign/);
  });

  it("is refused for a wrong secret and for an unknown access key", async () => {
    const wrong = { ...credentials, secretAccessKey: reader.secretAccessKey };
    const errors = [
      await errorOf(opened(ecdsa, { credentials: wrong })),
      await errorOf(opened(ecdsa, { credentials: { ...reader, accessKeyId: "AKIAUNKNOWN000000000" } })),
    ];
    should(errors.map(({ code }) => code)).deepEqual(["SIGNER_UNAUTHORIZED", "SIGNER_UNAUTHORIZED"]);
  });

  it("is refused where it does not exist", async () => {
    const error = await errorOf(opened("1234abcd-12ab-34cd-56ef-1234567890ab"));
    should(error.code).equal("SIGNER_KEY_UNSUITABLE");
  });
});
