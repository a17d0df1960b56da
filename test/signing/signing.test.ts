import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import should from "should";
import type { Hex } from "../../src/protocol/index.ts";
import {
  canonicalSignature,
  generatePrivateKey,
  localEcdsaSigner,
  normalizeOperation,
  type OperationInput,
  operationDigest,
  operationTypedData,
  randomWalletOperationId,
  recoverSigner,
} from "../../src/signing/index.ts";

type OperationCase = {
  chain_id: number;
  test_key: Hex;
  signer: string;
  operation: OperationInput & { id: string; deadline: string };
  digest: Hex;
  signature: Hex;
};

const { cases } = JSON.parse(
  readFileSync(new URL("../vectors/operations.json", import.meta.url), "utf8"),
) as { cases: OperationCase[] };
const [first] = cases;
if (first === undefined) throw new Error("no worked examples");
const { operation } = first;
const SECP256K1_HALF = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

describe("an operation's signature", () => {
  for (const example of cases) {
    const { id, transactions } = example.operation;
    it(`equals that of worked example ${id} with ${transactions.length} call(s) on ${example.chain_id}`, async () => {
      const signer = localEcdsaSigner(example.test_key);
      should(signer.address).equal(example.signer);
      const typedData = operationTypedData(example.operation, example.chain_id);
      const digest = operationDigest(example.operation, example.chain_id);
      should(digest).equal(example.digest);
      should(await signer.sign({ digest, typedData })).equal(example.signature);
      should(recoverSigner(digest, example.signature)).equal(example.signer);
    });
  }

  it("is the same for integers as bigint, and for data without 0x", () => {
    const same: OperationInput = {
      ...operation,
      id: BigInt(operation.id),
      deadline: BigInt(operation.deadline),
      transactions: operation.transactions.map(({ to, value, data }) => ({
        to: to.toLowerCase(),
        value: BigInt(value),
        data: data.slice(2).toUpperCase(),
      })),
    };
    should(operationDigest(same, String(first.chain_id))).equal(first.digest);
    should(operationDigest(same, BigInt(first.chain_id))).equal(first.digest);
    should(operationDigest({ ...same, id: `000${operation.id}` }, first.chain_id)).equal(first.digest);
  });

  it("has low s and v 27 or 28, for new keys too", async () => {
    const typedData = operationTypedData(operation, 1);
    const seen = new Set<string>();
    for (let round = 0; round < 40; round++) {
      const signature = await localEcdsaSigner(generatePrivateKey()).sign({
        digest: first.digest,
        typedData,
      });
      should(signature).match(/^0x[0-9a-f]{130}$/);
      should(BigInt(`0x${signature.slice(66, 130)}`) <= SECP256K1_HALF).be.true();
      seen.add(signature.slice(130));
    }
    should([...seen].sort()).deepEqual(["1b", "1c"]);
  });

  it("changes with the chain and with every field", () => {
    const [call] = operation.transactions;
    if (call === undefined) throw new Error("no call");
    const others: OperationInput[] = [
      { ...operation, id: "2" },
      { ...operation, deadline: "3" },
      { ...operation, account: call.to },
      { ...operation, transactions: [call, call] },
      { ...operation, transactions: [{ ...call, value: "1" }] },
      { ...operation, transactions: [{ ...call, data: "0x" }] },
    ];
    const digests = new Set([first.digest, ...others.map((other) => operationDigest(other, first.chain_id))]);
    digests.add(operationDigest(operation, first.chain_id + 1));
    should(digests.size).equal(others.length + 2);
  });
});

describe("operationTypedData", () => {
  it("is plain JSON for a wallet or a remote signer", () => {
    const typedData = operationTypedData({ ...operation, id: 7n }, 1);
    should(JSON.parse(JSON.stringify(typedData))).deepEqual(typedData);
    should(typedData.domain).deepEqual({
      name: "CLLSmartAccount",
      version: "1",
      chainId: 1,
      verifyingContract: operation.account,
    });
    should(typedData.message.id).equal("7");
  });

  it("rejects a chain selector in place of the chain id", () => {
    for (const chainId of ["16015286601757825753", 0, -1, 1.5, "0x1", "", undefined]) {
      should(() => operationTypedData(operation, chainId as string)).throw({ path: "chainId" });
    }
    for (const chainId of ["9007199254740993", 2 ** 60, 2n ** 64n]) {
      should(() => operationTypedData(operation, chainId)).throw({
        path: "chainId",
        message: /beyond 2\^53/,
      });
    }
  });
});

describe("normalizeOperation", () => {
  const [call] = operation.transactions;
  const wrong: Array<[string, object, string, string]> = [
    ["an id beyond uint256", { id: 2n ** 256n }, "INTEGER_OUT_OF_RANGE", "operation.id"],
    ["a negative deadline", { deadline: -1 }, "INTEGER_OUT_OF_RANGE", "operation.deadline"],
    ["an account that is no address", { account: "0x1" }, "INVALID_ADDRESS", "operation.account"],
    ["no calls", { transactions: [] }, "INVALID_ARGUMENT", "operation.transactions"],
    ["17 calls", { transactions: new Array(17).fill(call) }, "INVALID_ARGUMENT", "operation.transactions"],
    ["calls that are no list", { transactions: call }, "INVALID_ARGUMENT", "operation.transactions"],
    [
      "a value with a fraction",
      { transactions: [call, { ...call, value: "0.5" }] },
      "INVALID_ARGUMENT",
      "operation.transactions[1].value",
    ],
    [
      "data with half a byte",
      { transactions: [{ ...call, data: "0x123" }] },
      "INVALID_ARGUMENT",
      "operation.transactions[0].data",
    ],
    ["no target", { transactions: [{ ...call, to: "" }] }, "INVALID_ADDRESS", "operation.transactions[0].to"],
  ];
  for (const [name, change, code, path] of wrong) {
    it(`rejects ${name} with its path`, () => {
      should(() => normalizeOperation({ ...operation, ...change } as OperationInput)).throw({ code, path });
    });
  }
});

describe("localEcdsaSigner", () => {
  const key = generatePrivateKey();

  it("accepts the key with or without 0x, in upper case, and with whitespace around it", () => {
    for (const same of [key.slice(2), `0x${key.slice(2).toUpperCase()}`, ` ${key}\n`]) {
      should(localEcdsaSigner(same).address).equal(localEcdsaSigner(key).address);
    }
  });

  it("rejects what is not a key, and never quotes it", () => {
    const zero = `0x${"00".repeat(32)}`;
    const tooLarge = `0x${"ff".repeat(32)}`;
    for (const bad of ["", "secret", key.slice(0, 60), `${key}00`, zero, tooLarge, undefined]) {
      try {
        localEcdsaSigner(bad as string);
        should.fail("", "", "the key was taken", "");
      } catch (error) {
        should(error).have.properties({ code: "INVALID_PRIVATE_KEY", path: "privateKey" });
        should(error)
          .have.property("message")
          .match(/64 hex digits/);
        if (bad) should(inspect(error, { depth: 9, showHidden: true })).not.containEql(bad.slice(-16));
      }
    }
  });

  it("does not show its key", () => {
    const signer = localEcdsaSigner(key);
    should(inspect(signer, { depth: 9, showHidden: true })).not.containEql(key.slice(2, 20));
    should(JSON.stringify(signer)).not.containEql(key.slice(2, 20));
  });

  it("signs nothing but 32 bytes", async () => {
    const typedData = operationTypedData(operation, 1);
    for (const digest of ["0x12", `${first.digest}00`, `0x${first.digest}`] as Hex[]) {
      await should(localEcdsaSigner(key).sign({ digest, typedData })).be.rejectedWith({
        path: "digest",
        message: /32 bytes as hex/,
      });
    }
  });

  it("recovers no signer from what is not a signature", () => {
    for (const signature of ["0x", "0x12", `0x${"00".repeat(65)}`, `0x${"ff".repeat(65)}`] as Hex[]) {
      should(() => recoverSigner(first.digest, signature)).throw({
        code: "INVALID_SIGNATURE",
        path: "signature",
        message: /65 bytes \(r, s and v\)/,
      });
    }
  });
});

describe("canonicalSignature", () => {
  const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = BigInt(`0x${first.signature.slice(66, 130)}`);
  const v = Number.parseInt(first.signature.slice(130), 16);
  const written = (s: bigint, v: number) =>
    `${first.signature.slice(0, 66)}${s.toString(16).padStart(64, "0")}${v.toString(16).padStart(2, "0")}` as Hex;

  it("converts the four forms of a signature to the one that wallets take", () => {
    const other = 55 - v;
    for (const same of [
      written(s, v),
      written(s, v - 27),
      written(ORDER - s, other),
      written(ORDER - s, other - 27),
    ]) {
      should(canonicalSignature(same)).equal(first.signature);
    }
  });

  it("does so for both values of v", () => {
    const other = 55 - v;
    should(canonicalSignature(written(s, other - 27))).equal(written(s, other));
    should(canonicalSignature(written(ORDER - s, v - 27))).equal(written(s, other));
  });

  it("keeps the largest s that wallets take", () => {
    const half = written(ORDER / 2n, v);
    should(canonicalSignature(half)).equal(half);
    should(canonicalSignature(written(ORDER / 2n + 1n, 55 - v))).equal(half);
  });

  it("rejects what has no recovery byte, or is not hex", () => {
    for (const wrong of [first.signature.slice(0, 130), "0xzz", "", undefined]) {
      should(() => canonicalSignature(wrong as Hex)).throw({ code: "INVALID_SIGNATURE", path: "signature" });
    }
  });
});

describe("randomWalletOperationId", () => {
  it("is a new uint128 in decimal digits", () => {
    const ids = Array.from({ length: 100 }, randomWalletOperationId);
    should(new Set(ids).size).equal(100);
    for (const id of ids) {
      should(id).match(/^\d{1,39}$/);
      should(BigInt(id) < 2n ** 128n).be.true();
    }
  });
});
