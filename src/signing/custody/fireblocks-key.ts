import * as AddressOf from "ox/Address";
import * as PublicKey from "ox/PublicKey";
import { checksumAddress } from "../../abi/index.ts";
import type { Address } from "../../protocol/index.ts";
import { fieldAt, textAt } from "./answer-fields.ts";
import { badAnswer, type CustodianAnswer, quoted, refusalOf } from "./custodian-client.ts";
import { FIREBLOCKS, type FireblocksApi } from "./fireblocks-api.ts";
import { SignerError } from "./signer-error.ts";

/** Where the key is: that of an asset in a vault account, or of a path from the workspace's root key. */
export type FireblocksSource =
  | { vaultAccountId: string; assetId: string }
  | { derivationPath: readonly number[] };

type FireblocksKey = { address: Address; derivationPath: readonly number[] | undefined };

export const ALGORITHM = "MPC_ECDSA_SECP256K1";

/**
 * The address of the key. The public key is shown to two roles only; to others, the address of the asset.
 * @throws {SignerError}
 */
export async function readKey(api: FireblocksApi, source: FireblocksSource): Promise<FireblocksKey> {
  const answer = await api.call({ method: "GET", path: keyPath(source) });
  if (answer.status === 403) {
    if ("vaultAccountId" in source) return readAddress(api, source);
    throw new SignerError(
      "SIGNER_UNAUTHORIZED",
      `${FIREBLOCKS} shows the public key of a derivation path to the roles Admin and Non-Signing Admin only. Give the API user one of them, or choose a vault account and its asset.`,
      { state: "403" },
    );
  }
  if (answer.status !== 200) throw refusalOf(FIREBLOCKS, answer);
  const algorithm = fieldAt(answer.json, "algorithm") ?? ALGORITHM;
  if (algorithm !== ALGORITHM) {
    throw new SignerError(
      "SIGNER_KEY_UNSUITABLE",
      `The key in ${FIREBLOCKS} is of the kind ${quoted(String(algorithm), answer)}, and wallets take ${ALGORITHM}. Choose an asset of Ethereum or another EVM network.`,
    );
  }
  const path = fieldAt(answer.json, "derivationPath");
  const derivationPath = Array.isArray(path) && path.length > 0 ? path.map(Number) : undefined;
  return { address: addressOf(answer), derivationPath };
}

async function readAddress(
  api: FireblocksApi,
  source: Extract<FireblocksSource, { assetId: string }>,
): Promise<FireblocksKey> {
  const answer = await api.call({ method: "GET", path: `${accountPath(source)}/addresses_paginated` });
  if (answer.status !== 200) throw refusalOf(FIREBLOCKS, answer);
  const addresses = [fieldAt(answer.json, "addresses")].flat();
  const first = addresses.find((one) => !(Number(fieldAt(one, "bip44AddressIndex") ?? 0) > 0));
  try {
    return { address: checksumAddress(textAt(first, "address") ?? "", "address"), derivationPath: undefined };
  } catch {
    throw new SignerError(
      "SIGNER_KEY_UNSUITABLE",
      `The asset ${source.assetId} of vault account ${source.vaultAccountId} has no EVM address. Choose an asset of Ethereum or another EVM network.`,
    );
  }
}

function keyPath(source: FireblocksSource): string {
  if ("vaultAccountId" in source) return `${accountPath(source)}/0/0/public_key_info?compressed=false`;
  const path = encodeURIComponent(JSON.stringify(source.derivationPath));
  return `/v1/vault/public_key_info?derivationPath=${path}&algorithm=${ALGORITHM}&compressed=false`;
}

function accountPath({ vaultAccountId, assetId }: Extract<FireblocksSource, { assetId: string }>): string {
  return `/v1/vault/accounts/${encodeURIComponent(vaultAccountId)}/${encodeURIComponent(assetId)}`;
}

function addressOf(answer: CustodianAnswer): Address {
  try {
    const hex = `0x${textAt(answer.json, "publicKey")?.replace(/^0x/i, "")}` as const;
    return AddressOf.checksum(AddressOf.fromPublicKey(PublicKey.fromHex(hex)));
  } catch {
    throw badAnswer(FIREBLOCKS, "public key", answer);
  }
}
