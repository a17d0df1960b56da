import type { SignerRef, WalletRef } from "../common/fields/config-nodes.ts";
import { nodeError } from "../common/shared/errors.ts";

/** The wallet of an operation, as it is kept. */
type KeptWallet = { chain_selector: string; address: string };

/**
 * The signer of a node's wallet, for an operation that was prepared before a deploy: it is only opened where the wallet is
 * still the one of the operation. Otherwise the signer of one wallet would sign for another, which refuses it on chain.
 */
export function signerOfSame(wallet: WalletRef, kept: KeptWallet, signal: AbortSignal): SignerRef {
  const ref = wallet.signer();
  return {
    ...ref,
    signer: async () => {
      const address = await wallet.address(signal);
      const isSame =
        wallet.chainSelector === kept.chain_selector && address.toLowerCase() === kept.address.toLowerCase();
      if (!isSame) throw otherWallet(kept);
      return ref.signer();
    },
  };
}

function otherWallet({ address }: KeptWallet): Error {
  const message = `The node has another wallet now, so the wait was not resumed. Nobody was asked to sign, and nothing was submitted. Choose the earlier wallet again, or send the message again for the new one. Wallet ${address}.`;
  return nodeError("WAIT_DROPPED", message);
}
