import { generateKeyPairSync } from "node:crypto";
import { inspect } from "node:util";
import should from "should";
import {
  type CustodySigner,
  type PrivySignerOptions,
  privySigner,
} from "../../../src/signing/custody/index.ts";
import { recoverSigner, signWith } from "../../../src/signing/index.ts";
import { PrivyServer } from "../../support/privy.ts";
import { StandIn } from "../../support/stand-in.ts";
import { request } from "./sample-request.ts";

describe("a signer of Privy", () => {
  let server: PrivyServer;
  const closing: Array<() => Promise<void>> = [];

  beforeEach(async () => {
    server = await PrivyServer.start();
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await server.close();
  });

  async function signerOf(options: Partial<PrivySignerOptions> = {}): Promise<CustodySigner> {
    const signer = await privySigner({ ...server.options, ...options });
    closing.push(() => signer.close());
    return signer;
  }

  for (const sends of ["digest", "typed-data"] as const) {
    for (const isOwned of [false, true]) {
      it(`signs ${sends} with the key of a wallet ${isOwned ? "with" : "without"} an owner`, async () => {
        server.isOwned = isOwned;
        const authorizationKey = isOwned ? server.authorizationKey : undefined;
        const signer = await signerOf({ sends, authorizationKey });
        should(signer.address).equal(server.address);
        const signature = await signWith(signer, request);
        should(recoverSigner(request.digest, signature)).equal(server.address);
        should(server.problems).be.empty();
        const { method } = JSON.parse(String(server.asked.at(-1)?.body));
        should(method).equal(sends === "digest" ? "secp256k1_sign" : "eth_signTypedData_v4");
      });
    }
  }

  it("takes v as 0 or 1, and a high s", async () => {
    server.form = { isHighS: true };
    const signature = await signWith(await signerOf(), request);
    should(recoverSigner(request.digest, signature)).equal(server.address);
  });

  it("takes an address with the version, and an authorization key without its prefix", async () => {
    server.isOwned = true;
    const authorizationKey = server.authorizationKey.replace("wallet-auth:", "");
    await signWith(await signerOf({ url: `${server.url}/v1/`, authorizationKey }), request);
    should(server.problems).be.empty();
  });

  it("asks again with the same idempotency key, and not where an answer is lost", async () => {
    const signer = await signerOf();
    const posts = () => server.asked.filter(({ method }) => method === "POST").length;
    server.faults.push({ status: 503, headers: { "retry-after": "0" }, body: "" });
    await signWith(signer, request);
    should(server.answers.size).equal(1);
    should(posts()).equal(2);
    server.faults.push("cut after");
    await should(signWith(signer, request)).be.rejectedWith({ code: "SIGNER_UNAVAILABLE", isAsked: true });
    should(posts()).equal(3);
  });

  it("asks again after a refusal, when it is called again", async () => {
    const signer = await signerOf();
    server.allowed = [];
    const refused = { code: "SIGNER_REFUSED", state: "policy_violation", message: /such as secp256k1_sign/ };
    await should(signWith(signer, request)).be.rejectedWith(refused);
    server.allowed = ["secp256k1_sign"];
    await signWith(signer, request);
  });

  it("refuses a signature of another key", async () => {
    server.form = { isWrongKey: true };
    await should(signWith(await signerOf(), request)).be.rejectedWith({ code: "SIGNATURE_MISMATCH" });
  });

  it("refuses a wallet of another chain", async () => {
    server.chainType = "solana";
    await should(signerOf()).be.rejectedWith({
      code: "SIGNER_KEY_UNSUITABLE",
      message: "The wallet in Privy is for solana. Choose one whose chain type is ethereum.",
    });
  });

  it("shows no part of the app secret that comes back in its place", async () => {
    for (const part of [server.appSecret.slice(0, 18), server.appSecret.slice(18)]) {
      server.chainType = part;
      const error = await should(signerOf()).be.rejected();
      should(error).have.property("code", "SIGNER_KEY_UNSUITABLE");
      should(inspect(error)).not.containEql(part.replaceAll(/^-|-$/g, ""));
    }
  });

  it("does not follow a redirect, which would take the credentials elsewhere", async () => {
    const other = await StandIn.start();
    closing.push(() => other.close());
    const signer = await signerOf();
    server.faults.push({ status: 308, headers: { location: other.url }, body: "" });
    await should(signWith(signer, request)).be.rejectedWith({ code: "SIGNER_BAD_ANSWER" });
    should(other.asked).be.empty();
  });

  for (const [what, body] of [
    ["an answer of a proxy", "<html>Sign in</html>"],
    ["half an answer", '{"method": "secp25'],
    ["an answer without a signature", { data: {} }],
    ["half a signature", { data: { signature: `0x${"11".repeat(64)}` } }],
    ["a list", []],
    ["a huge answer", "x".repeat(2 * 1024 * 1024)],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const signer = await signerOf();
      server.faults.push({ status: 200, body });
      await should(signWith(signer, request)).be.rejectedWith({ code: "SIGNER_BAD_ANSWER" });
      server.faults.push({ status: 200, body });
      await should(signerOf()).be.rejectedWith({ code: "SIGNER_BAD_ANSWER" });
    });
  }

  for (const [what, wallet] of [
    ["without a chain type", { address: `0x${"11".repeat(20)}` }],
    ["without an address", { chain_type: "ethereum" }],
    [
      "with an address of another kind",
      { chain_type: "ethereum", address: "So11111111111111111111111111111111" },
    ],
  ] as const) {
    it(`refuses a wallet ${what}`, async () => {
      server.faults.push({ status: 200, body: wallet });
      await should(signerOf()).be.rejectedWith({ code: "SIGNER_BAD_ANSWER" });
    });
  }

  describe("says what is missing:", () => {
    it("an authorization key, where the wallet was given an owner later", async () => {
      const signer = await signerOf();
      server.isOwned = true;
      await should(signWith(signer, request)).be.rejectedWith({
        code: "SIGNER_UNAUTHORIZED",
        message: /Enter the authorization key of the owner/,
      });
    });

    it("an authorization key", async () => {
      server.isOwned = true;
      await should(signerOf()).be.rejectedWith({
        code: "SIGNER_UNAUTHORIZED",
        message: /Enter the authorization key of the owner/,
      });
    });

    it("the right authorization key", async () => {
      server.isOwned = true;
      const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const authorizationKey = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
      const signer = await signerOf({ authorizationKey });
      await should(signWith(signer, request)).be.rejectedWith({
        code: "SIGNER_UNAUTHORIZED",
        state: "zero_correct_authorization_signatures",
        message: /is not that of the wallet's owner/,
      });
    });

    it("more authorization keys", async () => {
      const signer = await signerOf();
      const code = "insufficient_correct_authorization_signatures";
      server.faults.push({ status: 401, body: { error: "Not enough", code } });
      await should(signWith(signer, request)).be.rejectedWith({
        code: "SIGNER_UNAUTHORIZED",
        message: /requires the signatures of several authorization keys/,
      });
    });

    it("the right app secret, without showing it", async () => {
      const appSecret = "not the secret".replaceAll(" ", "-");
      const error = await should(signerOf({ appSecret })).be.rejected();
      should(error).match({ code: "SIGNER_UNAUTHORIZED", message: /Invalid app ID or app secret/ });
      should(inspect(error, { depth: 9 })).not.containEql(appSecret);
    });

    it("the wallet", async () => {
      await should(signerOf({ walletId: "another" })).be.rejectedWith({ code: "SIGNER_KEY_UNSUITABLE" });
    });
  });

  describe("wants", () => {
    const { privateKey: rsa } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const { privateKey: k256 } = generateKeyPairSync("ec", { namedCurve: "secp256k1" });
    const wrong: Array<[string, Record<string, unknown>, string]> = [
      ["another scheme", { url: "ftp://host" }, "url"],
      ["nothing", { appId: "" }, "appId"],
      ["two lines", { appSecret: "a\nb" }, "appSecret"],
      ["nothing", { walletId: " " }, "walletId"],
      ["nothing", { timeoutMs: 0 }, "timeoutMs"],
      ["something else", { authorizationKey: "wallet-auth:AAAA" }, "authorizationKey"],
      [
        "RSA",
        { authorizationKey: rsa.export({ type: "pkcs8", format: "pem" }).toString() },
        "authorizationKey",
      ],
      [
        "secp256k1",
        { authorizationKey: k256.export({ type: "sec1", format: "pem" }).toString() },
        "authorizationKey",
      ],
    ];
    for (const [what, options, path] of wrong) {
      it(`${path}: not ${what}`, async () => {
        const error = await should(signerOf(options as never)).be.rejected();
        should(error).match({ name: "ArgumentError", path });
        should(server.asked).be.empty();
      });
    }
  });
});
