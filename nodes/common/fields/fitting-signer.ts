import type { CrecClient, Signer } from "../../../src/index.ts";
import { nodeError } from "../shared/errors.ts";
import { type KeyKind, keyOfWallet } from "../shared/signers.ts";
import type { SignerRef } from "./config-nodes.ts";

/** The type of the wallet with an address, where it is known. */
type WalletTypeOf = (address: string, signal: AbortSignal | undefined) => Promise<string | undefined>;

const NAMES: Readonly<Record<KeyKind, string>> = { ecdsa: "ECDSA", rsa: "RSA" };

/**
 * The same signers, but asked to sign only for wallets that take signatures of their keys: a chain would refuse others,
 * much later. The same signer is the same again.
 */
export function fittingSigners(typeOf: WalletTypeOf): (ref: SignerRef) => SignerRef {
  const known = new WeakMap<Signer, Signer>();
  const fitting = (signer: Signer): Signer => {
    const made = known.get(signer) ?? checked(signer, typeOf);
    known.set(signer, made);
    return made;
  };
  return (ref) => ({ ...ref, signer: async () => fitting(await ref.signer()) });
}

/** The type at the service. Undefined where it does not know the wallet or does not answer. */
export async function walletTypeAt(
  client: CrecClient,
  address: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const options = signal ? { signal } : {};
  const { data } = await client.wallets.list({ address }, options).catch(() => ({ data: [] }));
  const types = new Set(data.map(({ wallet_type }) => wallet_type));
  // The same address on another network may be another wallet.
  return types.size === 1 ? [...types][0] : undefined;
}

/**
 * A type that this version does not know takes any key.
 * @throws SIGNER_TYPE_DIFFERS
 */
export function requireFit(key: KeyKind, walletType: string | undefined): void {
  const other = keyOfWallet(walletType);
  if (other === undefined || other === key) return;
  throw nodeError(
    "SIGNER_TYPE_DIFFERS",
    `The signer has an ${NAMES[key]} key, and the wallet is of type ${walletType}, which takes signatures of ${NAMES[other]} keys only. Nothing was signed. Choose another signer or wallet.`,
  );
}

function checked(signer: Signer, typeOf: WalletTypeOf): Signer {
  return {
    ...signer,
    sign: async (request, options) => {
      requireFit(signer.kind, await typeOf(request.typedData.message.account, options?.signal));
      return signer.sign(request, options);
    },
  };
}
