import { TypedDataEncoder, Wallet } from "ethers";
import fc from "fast-check";
import should from "should";
import { type Hex, hashTypedData, verifyTypedData } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import {
  localEcdsaSigner,
  type OperationInput,
  operationDigest,
  operationTypedData,
  recoverSigner,
} from "../../src/signing/index.ts";

/** Two other implementations of EIP-712, over operations at random. */

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((array) => Buffer.from(array).toString("hex"));
const address = hex(20).map((digits) => `0x${digits}` as Hex);
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const operations: fc.Arbitrary<OperationInput> = fc.record({
  id: fc.oneof(uint256, uint256.map(String)),
  account: address,
  deadline: fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n }).map(String), fc.constant("0")),
  transactions: fc.array(
    fc.record({
      to: address,
      value: fc.oneof(uint256, uint256.map(String)),
      data: fc
        .uint8Array({ maxLength: 200 })
        .map((array) => `0x${Buffer.from(array).toString("hex")}` as Hex),
    }),
    { minLength: 1, maxLength: 16 },
  ),
});
const chainIds = fc.bigInt({ min: 1n, max: 2n ** 53n - 1n });
const keys = hex(32)
  .filter((digits) => /[1-9a-e]/.test(digits.slice(0, 32)) && !digits.startsWith("ffffffff"))
  .map((digits) => `0x${digits}` as Hex);

/** As the other libraries want it: integers as bigint. */
function others(operation: OperationInput, chainId: bigint) {
  const domain = {
    name: "CLLSmartAccount",
    version: "1",
    chainId,
    verifyingContract: operation.account as Hex,
  };
  const types = {
    Transaction: [
      { name: "to", type: "address" },
      { name: "value", type: "uint256" },
      { name: "data", type: "bytes" },
    ],
    Operation: [
      { name: "id", type: "uint256" },
      { name: "account", type: "address" },
      { name: "deadline", type: "uint256" },
      { name: "transactions", type: "Transaction[]" },
    ],
  };
  const message = {
    id: BigInt(operation.id),
    account: operation.account as Hex,
    deadline: BigInt(operation.deadline),
    transactions: operation.transactions.map(({ to, value, data }) => ({
      to: to as Hex,
      value: BigInt(value),
      data: data as Hex,
    })),
  };
  return { domain, types, message };
}

describe("the digest and the signature of an operation", function () {
  this.timeout(120_000);

  it("equal those of two other libraries, for random operations", async () => {
    await fc.assert(
      fc.asyncProperty(operations, chainIds, keys, async (operation, chainId, key) => {
        const { domain, types, message } = others(operation, chainId);
        const digest = operationDigest(operation, chainId);
        should(digest).equal(hashTypedData({ domain, types, primaryType: "Operation", message }));
        should(digest).equal(TypedDataEncoder.hash(domain, types, message));

        const signer = localEcdsaSigner(key);
        const typedData = operationTypedData(operation, chainId);
        const signature = await signer.sign({ digest, typedData });
        const account = privateKeyToAccount(key);
        should(signer.address).equal(account.address);
        // All three sign deterministically, with low s and v 27 or 28: the same bytes.
        should(signature).equal(
          await account.signTypedData({ domain, types, primaryType: "Operation", message }),
        );
        should(signature).equal(await new Wallet(key).signTypedData(domain, types, message));
        should(recoverSigner(digest, signature)).equal(account.address);
      }),
      { numRuns: 100 },
    );
  });

  it("equal what a wallet computes from the typed data of the sign request", async () => {
    await fc.assert(
      fc.asyncProperty(operations, chainIds, keys, async (operation, chainId, key) => {
        const typedData = operationTypedData(operation, chainId);
        const signature = await localEcdsaSigner(key).sign({
          digest: operationDigest(operation, chainId),
          typedData,
        });
        const { address } = privateKeyToAccount(key);
        const { domain, types, message } = JSON.parse(JSON.stringify(typedData));
        should(
          await verifyTypedData({ address, domain, types, primaryType: "Operation", message, signature }),
        ).be.true();
      }),
      { numRuns: 25 },
    );
  });
});
