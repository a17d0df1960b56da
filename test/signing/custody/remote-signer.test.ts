import { TypedDataEncoder, Wallet } from "ethers";
import should from "should";
import { type RemoteSignerOptions, remoteSigner } from "../../../src/signing/custody/index.ts";
import {
  generatePrivateKey,
  localEcdsaSigner,
  type OperationTypedData,
  type SigningState,
  signRequestOf,
  signWith,
} from "../../../src/signing/index.ts";
import { errorOf } from "../../http/support.ts";
import { methodNotFound, startJsonRpcSigner } from "../../support/json-rpc-signer.ts";
import type { StandIn } from "../../support/stand-in.ts";
import { startWeb3Signer } from "../../support/web3signer.ts";

const account = `0x${"11".repeat(20)}`;
const request = signRequestOf(
  { id: 2n ** 255n, account, deadline: 0, transactions: [{ to: account, value: 2n ** 70n, data: "0x1234" }] },
  31337,
);
const [first, second] = [generatePrivateKey(), generatePrivateKey()];
const { address } = localEcdsaSigner(first);

describe("a remote signer", () => {
  const ended: Array<() => Promise<void>> = [];
  afterEach(async () => {
    for (const end of ended.splice(0).reverse()) await end();
  });

  const open = async (standIn: StandIn, options: Omit<RemoteSignerOptions, "url">) => {
    const signer = await remoteSigner({ url: standIn.url, ...options });
    ended.push(() => signer.close());
    return signer;
  };
  const started = <T extends StandIn>(standIn: T): T => {
    ended.push(() => standIn.close());
    return standIn;
  };

  describe("with the REST interface of Web3Signer", () => {
    const protocol = "eth1-sign";
    const web3signer = async (...keys: string[]) => started(await startWeb3Signer(keys));

    it("is found by its only key, and signs the preimage: Web3Signer hashes what it is given", async () => {
      const standIn = await web3signer(first);
      const signer = await open(standIn, { protocol });
      should(signer).have.properties({
        kind: "ecdsa",
        address,
        custodian: "The remote signer",
        timeoutMs: 300_000,
      });
      should(await signWith(signer, request)).equal(await localEcdsaSigner(first).sign(request));
      const { body } = standIn.asked.at(-1) ?? {};
      should(JSON.parse(String(body))).deepEqual({ data: request.preimage });
    });

    it("is found by its public key in any usual form, by its address, and without a list", async () => {
      const standIn = await web3signer(second, first);
      const digits = new Wallet(first).signingKey.publicKey.slice(4);
      for (const identifier of [
        digits,
        `0x${digits}`,
        `0x04${digits.toUpperCase()}`,
        ` ${address} `,
        address.toLowerCase(),
      ]) {
        should((await open(standIn, { protocol, identifier })).address).equal(address);
      }
      should((await open(standIn, { protocol, address })).address).equal(address);
      for (const status of [403, 404]) {
        standIn.faults.push({ status, body: "" });
        const signer = await open(standIn, { protocol, identifier: digits });
        should(await signWith(signer, request)).match(/^0x[0-9a-f]{130}$/);
      }
    });

    it("says which keys there are, where it cannot choose or finds none", async () => {
      const standIn = await web3signer(first, second);
      const several = await errorOf(open(standIn, { protocol }));
      should(several).have.properties({ code: "INVALID_ARGUMENT", path: "identifier" });
      should(several.message).match(/several keys\. Enter the public key or the address of one: 0x/);
      const other = localEcdsaSigner(generatePrivateKey()).address;
      const missing = await errorOf(open(standIn, { protocol, identifier: other }));
      should(missing).have.property("code", "SIGNER_KEY_UNSUITABLE");
      should(missing.message).containEql(`does not have the key of ${other}. It has those of ${address}, `);
      const none = await errorOf(open(await web3signer(), { protocol }));
      should(none.message).match(/does not have a key\. It has no secp256k1 key\. Load the key there/);
      should(await errorOf(open(standIn, { protocol, identifier: "key 1" }))).have.properties({
        ...{ code: "INVALID_ADDRESS", path: "identifier" },
      });
    });

    it("says so when the key is gone, the answer is none of Web3Signer, or the key is another", async () => {
      const standIn = await web3signer(first);
      const signer = await open(standIn, { protocol });
      const failing = async (status: number, body: unknown) => {
        standIn.faults.push({ status, body });
        return errorOf(signWith(signer, request));
      };
      should(await failing(404, "")).have.property("code", "SIGNER_KEY_UNSUITABLE");
      should(await failing(401, "")).have.property("code", "SIGNER_UNAUTHORIZED");
      should(await failing(400, "")).have.property("code", "SIGNER_UNAVAILABLE");
      should(await failing(400, { error: "denied" })).have.property("code", "SIGNER_REFUSED");
      should(await failing(200, "<html>")).have.property("code", "SIGNER_BAD_ANSWER");
      should(await failing(200, `0x${"00".repeat(64)}`)).have.property("code", "SIGNER_BAD_ANSWER");
      should(await failing(200, await localEcdsaSigner(second).sign(request))).have.property(
        "code",
        "SIGNATURE_MISMATCH",
      );
      standIn.faults.push({ status: 200, body: "<html>" });
      should(await errorOf(open(standIn, { protocol }))).have.property("code", "SIGNER_BAD_ANSWER");
    });

    it("reads a signature that is written as JSON, and asks again where it was not taken", async () => {
      const standIn = await web3signer(first);
      const signer = await open(standIn, { protocol });
      const signature = await localEcdsaSigner(first).sign(request);
      for (const body of [JSON.stringify(signature), { signature }, `${signature}\n`, signature.slice(2)]) {
        standIn.faults.push({ status: 200, body });
        should(await signWith(signer, request)).equal(signature);
      }
      standIn.faults.push({ status: 503, body: "" });
      should(await signWith(signer, request)).equal(signature);
    });

    it("is given the credentials, and no error shows them", async () => {
      const standIn = await web3signer(first);
      const seen = () => standIn.asked.at(-1)?.headers.authorization;
      const bearer = "t0ken-of-the-signer";
      await signWith(await open(standIn, { protocol, authorization: { bearer } }), request);
      should(seen()).equal(`Bearer ${bearer}`);
      const authorization = { user: "node", password: "pass-word" };
      const signer = await open(standIn, { protocol, authorization });
      should(seen()).equal("Basic bm9kZTpwYXNzLXdvcmQ=");
      standIn.faults.push({ status: 401, body: { error: "Basic bm9kZTpwYXNzLXdvcmQ= is node:pass-word" } });
      const error = await errorOf(signWith(signer, request));
      should(error).have.property("code", "SIGNER_UNAUTHORIZED");
      should(error.message).match(/It said: Basic \*\*\* is node:\*\*\*$/);
    });
  });

  describe("with JSON-RPC", () => {
    const protocol = "json-rpc";
    type Answer = Parameters<typeof startJsonRpcSigner>[0];
    const rpc = async (answer: Answer) => {
      const { standIn, calls } = await startJsonRpcSigner(answer);
      return { standIn: started(standIn), calls, methods: () => calls.map(({ method }) => method) };
    };
    /** Hashes the document itself, by other code than ours. */
    const signed = (document: unknown) => {
      const { domain, types, message } = (
        typeof document === "string" ? JSON.parse(document) : document
      ) as OperationTypedData;
      const { EIP712Domain: _domain, ...own } = types;
      const digest = TypedDataEncoder.hash(domain, own as never, message);
      return { result: new Wallet(first).signingKey.sign(digest).serialized };
    };
    const having =
      (...known: string[]): Answer =>
      (method, params) =>
        known.includes(method) ? signed(params[1]) : methodNotFound;

    for (const method of ["eth_signTypedData_v4", "eth_signTypedData", "account_signTypedData"] as const) {
      it(`finds ${method}, and remembers it`, async () => {
        const { standIn, methods, calls } = await rpc(having(method));
        const signer = await open(standIn, { protocol, address });
        should(signer).have.properties({ address, timeoutMs: 300_000 });
        should(standIn.asked).be.empty();
        for (const _twice of [1, 2]) {
          should(await signWith(signer, request)).equal(await localEcdsaSigner(first).sign(request));
        }
        const tried = methods();
        should(tried.slice(-2)).deepEqual([method, method]);
        should(new Set(tried).size).equal(tried.length - 1);
        should(calls.every(({ params }) => params[0] === address)).be.true();
        const document = calls.at(-1)?.params[1];
        should(typeof document).equal(method === "account_signTypedData" ? "object" : "string");
      });
    }

    it("knows that a method is missing by the words, too", async () => {
      const { standIn, methods } = await rpc((method, params) =>
        method === "account_signTypedData"
          ? signed(params[1])
          : { error: { code: -32700, message: `The method ${method} does not exist/is not available` } },
      );
      await signWith(await open(standIn, { protocol, address }), request);
      should(methods()).deepEqual(["eth_signTypedData_v4", "eth_signTypedData", "account_signTypedData"]);
    });

    it("uses only the given method", async () => {
      const { standIn, methods } = await rpc(having("eth_signTypedData_v4"));
      const signer = await open(standIn, { protocol, address, method: "account_signTypedData" });
      const error = await errorOf(signWith(signer, request));
      should(error).have.property("code", "SIGNER_BAD_ANSWER");
      should(error.message).match(
        /does not have account_signTypedData\. Check its address and version, or choose/,
      );
      should(methods()).deepEqual(["account_signTypedData"]);
    });

    it("writes the document in the other form where the signer says that it is not valid", async () => {
      const invalid = { error: { code: -32602, message: "invalid argument 1" } };
      const asGanache = {
        error: { code: -32000, message: "cannot sign data; string sent, expected object" },
      };
      for (const refusal of [invalid, asGanache]) {
        const { standIn, calls } = await rpc((_method, [, document]) =>
          typeof document === "string" ? refusal : signed(document),
        );
        const signer = await open(standIn, { protocol, address });
        for (const _twice of [1, 2]) await signWith(signer, request);
        should(calls.map(({ params }) => typeof params[1])).deepEqual(["string", "object", "object"]);
      }
      const { standIn: never, calls: asked } = await rpc(() => invalid);
      const error = await errorOf(signWith(await open(never, { protocol, address }), request));
      should(error).have.properties({ code: "SIGNER_UNAVAILABLE", state: "-32602" });
      should(asked).have.length(2);
    });

    it("asks nobody twice: any other error ends it", async () => {
      for (const [code, message, expected, says] of [
        [
          4001,
          "no",
          "SIGNER_REFUSED",
          /refused the signature\. Nothing was submitted\. Ask the person who approves\./,
        ],
        [-32000, "request denied", "SIGNER_REFUSED", /Ask the person who approves/],
        [
          -32603,
          "Internal error",
          "SIGNER_UNAVAILABLE",
          /failed and did not sign, which is not a decision\. Nothing was submitted\. Check its log/,
        ],
        [-32000, "blocked by policy 7", "SIGNER_REFUSED", /Ask the person who approves/],
        [-32000, "upstream request timeout", "SIGNER_UNAVAILABLE", /not a decision/],
        [-32000, "context deadline exceeded", "SIGNER_UNAVAILABLE", /not a decision/],
        [-32000, "dial tcp: connection refused", "SIGNER_UNAVAILABLE", /not a decision/],
        [-32099, "no idea", "SIGNER_UNAVAILABLE", /not a decision/],
        [4100, "Unauthorized", "SIGNER_UNAUTHORIZED", /Check them, and what they permit/],
        [-32002, "request timed out", "SIGNER_TIMEOUT", /ended the wait for an approval\./],
        [4900, "Disconnected", "SIGNER_UNAVAILABLE", /is not connected\. Try again later/],
        [-32000, "No unlocked account matches the Sender", "SIGNER_KEY_UNSUITABLE", /or it is locked/],
        [-32000, "unknown account", "SIGNER_KEY_UNSUITABLE", /Check the address/],
        [-32700, "cannot sign data; no private key", "SIGNER_KEY_UNSUITABLE", /Check the address/],
      ] as const) {
        const { standIn, calls } = await rpc(() => ({ error: { code, message } }));
        const error = await errorOf(signWith(await open(standIn, { protocol, address }), request));
        should(error).have.properties({ code: expected, state: String(code) });
        should(error.message).endWith(`It said: ${message} (${code})`).and.match(says);
        should(calls).have.length(1);
      }
      for (const fault of ["cut after", { status: 502, body: "" }, { status: 504, body: "" }] as const) {
        const { standIn } = await rpc(having("eth_signTypedData_v4"));
        standIn.faults.push(fault);
        const error = await errorOf(signWith(await open(standIn, { protocol, address }), request));
        should(error).have.property("code", "SIGNER_UNAVAILABLE");
        should(standIn.asked).have.length(1);
      }
    });

    it("asks again what was not taken, and believes no proxy that decides", async () => {
      const { standIn } = await rpc(having("eth_signTypedData_v4"));
      const signer = await open(standIn, { protocol, address, method: "eth_signTypedData_v4" });
      const said = (code: number, message: string) => ({ jsonrpc: "2.0", id: 1, error: { code, message } });
      const headers = { "retry-after": "0" };
      standIn.faults.push(
        { status: 200, headers, body: said(-32005, "limit exceeded") },
        { status: 429, headers, body: said(-32005, "request rejected: too many requests") },
        { status: 429, headers, body: said(-32000, "slow down") },
        { status: 503, headers, body: "" },
      );
      should(await signWith(signer, request)).equal(await localEcdsaSigner(first).sign(request));
      should(standIn.asked).have.length(5);
      for (const [body, code] of [
        [said(-32000, "upstream request timeout"), "SIGNER_UNAVAILABLE"],
        [said(4001, "no"), "SIGNER_REFUSED"],
      ] as const) {
        standIn.asked.length = 0;
        standIn.faults.push({ status: 503, headers, body });
        should(await errorOf(signWith(signer, request))).have.property("code", code);
        should(standIn.asked).have.length(1);
      }
    });

    it("does not take what is no answer of JSON-RPC, or no signature", async () => {
      const { standIn } = await rpc(having("eth_signTypedData_v4"));
      const signer = await open(standIn, { protocol, address });
      for (const [status, body] of [
        [200, "<html>"],
        [404, "not here"],
        [200, { jsonrpc: "2.0", id: 1, result: null }],
        [200, { jsonrpc: "2.0", id: 1, result: `0x${"00".repeat(64)}` }],
        [200, []],
      ] as const) {
        standIn.faults.push({ status, body });
        should(await errorOf(signWith(signer, request))).have.property("code", "SIGNER_BAD_ANSWER");
      }
      standIn.faults.push({ status: 401, body: "" });
      should(await errorOf(signWith(signer, request))).have.property("code", "SIGNER_UNAUTHORIZED");
      for (const status of [400, 500]) {
        standIn.faults.push({ status, body: { error: { code: 4001, message: "no" } } });
        should(await errorOf(signWith(signer, request))).have.property("code", "SIGNER_REFUSED");
      }
    });

    it("refuses a signature over anything else, such as a digest with a prefix", async () => {
      const signature = await new Wallet(first).signMessage(Buffer.from(request.digest.slice(2), "hex"));
      const { standIn, calls } = await rpc(() => ({ result: signature }));
      const error = await errorOf(signWith(await open(standIn, { protocol, address }), request));
      should(error).have.property("code", "SIGNATURE_MISMATCH");
      should(calls).have.length(1);
    });

    it("takes the signer's only account, and asks which where there are several", async () => {
      const accounts = (list: readonly string[], method: string) =>
        rpc((asked, params) =>
          asked === method ? { result: list } : having("account_signTypedData")(asked, params),
        );
      for (const method of ["eth_accounts", "account_list"]) {
        const { standIn } = await accounts([address.toLowerCase()], method);
        should((await open(standIn, { protocol })).address).equal(address);
        const several = await accounts([address, account], method);
        const error = await errorOf(open(several.standIn, { protocol }));
        should(error).have.properties({ code: "INVALID_ARGUMENT", path: "address" });
        should(error.message).containEql(
          `has 2 accounts. Enter the address of one in the signer: ${address}, 0x11`,
        );
        should(standIn.asked.every(({ body }) => JSON.parse(String(body)).params.length === 0)).be.true();
        const many = await accounts(Array(6).fill(address), method);
        should((await errorOf(open(many.standIn, { protocol }))).message).match(/(0x\w+, ){5}…\.$/);
        const none = await accounts([], method);
        should(await errorOf(open(none.standIn, { protocol }))).have.property(
          "code",
          "SIGNER_KEY_UNSUITABLE",
        );
      }
      const { standIn } = await rpc(() => methodNotFound);
      should(await errorOf(open(standIn, { protocol }))).have.properties({ path: "address" });
      const denied = await rpc(() => ({ error: { code: -32000, message: "request denied" } }));
      should(await errorOf(open(denied.standIn, { protocol }))).have.property("code", "SIGNER_REFUSED");
      for (const result of ["0x12", [[address]]]) {
        const odd = await rpc(() => ({ result }));
        should(await errorOf(open(odd.standIn, { protocol }))).have.property("code", "SIGNER_BAD_ANSWER");
      }
    });

    it("says that it waits for a person, and ends the wait at its time-out, by close and by the signal", async () => {
      const { standIn } = await rpc(having("eth_signTypedData_v4"));
      standIn.faults.push("silent", "silent", "silent");
      const states: SigningState[] = [];
      const signer = await open(standIn, { protocol, address, timeoutMs: 1_200 });
      const late = await errorOf(signer.sign(request, { onState: (state) => states.push(state) }));
      should(late).have.property("code", "SIGNER_TIMEOUT");
      should(states).deepEqual([{ state: "no answer yet", isForPerson: true }]);
      const controller = new AbortController();
      const aborted = errorOf(signWith(signer, request, { signal: controller.signal }));
      await standIn.until(() => (standIn.asked.length === 2 ? true : undefined));
      controller.abort();
      should(await aborted).have.property("code", "ABORTED");
      const closing = errorOf(signWith(signer, request));
      await standIn.until(() => (standIn.asked.length === 3 ? true : undefined));
      await signer.close();
      should(await closing).have.property("code", "CLIENT_CLOSED");
    });
  });

  it("names the option that cannot be used, without its value", async () => {
    const wrong: Array<[object, string]> = [
      [{ url: "signer" }, "url"],
      [{ protocol: "grpc" }, "protocol"],
      [{ protocol: "json-rpc", method: "eth_sign" }, "method"],
      [{ address: "0x12" }, "address"],
      [{ timeoutMs: 0 }, "timeoutMs"],
      [{ authorization: { bearer: "" } }, "authorization.bearer"],
      [{ authorization: { bearer: "a\nb" } }, "authorization.bearer"],
      [{ authorization: { user: "a:b", password: "c" } }, "authorization.user"],
      [{ proxy: "://secret" }, "proxy"],
    ];
    for (const [options, path] of wrong) {
      const given = { url: "http://127.0.0.1:1", protocol: "eth1-sign", ...options } as RemoteSignerOptions;
      const error = await errorOf(remoteSigner(given));
      should(error).have.property("path", path);
      should(error.message).not.match(/secret|a\nb/);
    }
  });
});
