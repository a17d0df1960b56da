// What a client does beside HTTP, by a library that shares nothing with ours.
import { constants, generateKeyPairSync, type KeyObject, privateEncrypt, randomBytes } from "node:crypto";
import {
  concat,
  dataSlice,
  getAddress,
  getBytes,
  hexlify,
  Interface,
  keccak256,
  recoverAddress,
  TypedDataEncoder,
  toBeHex,
  toUtf8Bytes,
  Wallet,
} from "ethers";
import type { Json } from "./client.ts";
import type { Target } from "./target.ts";

export const ERC20 = new Interface([
  "function totalSupply() view returns (uint256)",
  "function balanceOf(address) view returns (uint256)",
  "function transfer(address to, uint256 value) returns (bool)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
]);

/** What every wallet has, EIP-5267. */
export const WALLET = new Interface([
  "function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)",
]);

export const TRANSFER = {
  type: "event",
  name: "Transfer",
  anonymous: false,
  inputs: [
    { name: "from", type: "address", internalType: "address", indexed: true },
    { name: "to", type: "address", internalType: "address", indexed: true },
    { name: "value", type: "uint256", internalType: "uint256", indexed: false },
  ],
};

export type Signer = { address: string; sign(operation: Json, chainId: string): Promise<string> };

const TYPES = {
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

function typed(operation: Json, chainId: string) {
  const domain = { name: "CLLSmartAccount", version: "1", chainId, verifyingContract: operation.address };
  const { wallet_operation_id: id, address: account, deadline } = operation;
  const transactions = operation.transactions.map(({ to, value, data }: Json) => ({ to, value, data }));
  return [domain, TYPES, { id, account, deadline, transactions }] as const;
}

export function digestOf(operation: Json, chainId: string): string {
  return TypedDataEncoder.hash(...typed(operation, chainId));
}

export function ecdsaSigner(): Signer {
  const wallet = new Wallet(hexlify(randomBytes(32)));
  return {
    address: wallet.address,
    sign: (operation, chainId) => wallet.signTypedData(...typed(operation, chainId)),
  };
}

/** An RSA key as wallets take it, and its signatures: of the digest taken as already hashed. */
export function rsaSigner(): { key: { e: string; n: string }; sign(digest: string): string } {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const { e = "", n = "" } = publicKey.export({ format: "jwk" }) as { e?: string; n?: string };
  const hex = (text: string) => hexlify(Buffer.from(text, "base64url"));
  return { key: { e: hex(e), n: hex(n) }, sign: (digest) => rsaSignature(privateKey, digest) };
}

function rsaSignature(key: KeyObject, digest: string): string {
  const hashed = concat(["0x3031300d060960864801650304020105000420", digest]);
  return hexlify(privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, getBytes(hashed)));
}

/** 128 random bits: unique without asking anybody. */
export function freshId(): string {
  return BigInt(hexlify(randomBytes(16))).toString();
}

export function freshAddress(): string {
  return getAddress(hexlify(randomBytes(20)));
}

/** The owner that reports of an organization's workflows carry. */
export function workflowOwnerOf(organization: string, tenant: string): string {
  const sized = (text: string) => {
    const bytes = toUtf8Bytes(text);
    return concat([toBeHex(bytes.length, 8), bytes]);
  };
  const label = toUtf8Bytes("Chainlink Runtime Environment GenerateWorkflowOwnerAddress\0");
  const parts = ["0xff", new Uint8Array(84), label, sized(tenant), sized(organization)];
  return dataSlice(keccak256(concat(parts)), 0, 20);
}

/** What is wrong with the proof of a signed text; undefined when nothing is. */
export function wrongWithProof(
  text: string,
  proofs: Json[],
  trust: NonNullable<Target["verification"]>,
): string | undefined {
  if (proofs.length !== 1) return `${proofs.length} proofs`;
  const { ocr_report: report, ocr_context: context, signatures } = proofs[0];
  if (dataSlice(report, 87, 107) !== trust.workflowOwner.toLowerCase()) return "the report has another owner";
  if (dataSlice(report, -32 + getBytes(report).length) !== keccak256(toUtf8Bytes(text)))
    return "the report is of another text";
  const signed = keccak256(concat([keccak256(report), context]));
  const trusted = new Set(trust.signers.map((signer) => getAddress(signer)));
  const signers = new Set(
    (signatures as string[]).map((signature) => {
      const bytes = getBytes(signature);
      const v = bytes[64] ?? 0;
      bytes[64] = v < 27 ? v + 27 : v;
      return recoverAddress(signed, hexlify(bytes));
    }),
  );
  const good = [...signers].filter((signer) => trusted.has(signer)).length;
  return good < trust.threshold ? `${good} of ${trust.threshold} signatures` : undefined;
}

export function decoded(base64: string): Json {
  return JSON.parse(Buffer.from(base64, "base64").toString("utf8"));
}

export { getAddress, keccak256, toUtf8Bytes };
