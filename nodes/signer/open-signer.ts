import type { RsaPublicKey, Signer } from "../../src/index.ts";
import { type Library, loadLibrary } from "../common/library.ts";
import { nodeError } from "../common/shared/errors.ts";
import { longestSigning } from "../common/shared/signer-kinds.ts";
import { fewAtOnce } from "./few-at-once.ts";
import { keyServiceOf } from "./kinds/index.ts";
import { isSameRsaKey } from "./same-rsa-key.ts";
import { clientOptions, type TransportOptions } from "./transport-options.ts";
import type { SignerValues } from "./values.ts";

/** A signer that may have connections to end. */
export type OpenSigner = Signer & { close?(): Promise<void> };

/** The key that a form was shown. */
export type PinnedKey = { address: string; publicKey: RsaPublicKey | undefined };

/** @throws INVALID_PRIVATE_KEY, or what the key service answers */
export async function openSigner(values: SignerValues, way: TransportOptions): Promise<OpenSigner> {
  const library = await loadLibrary();
  const service = keyServiceOf(values.kind);
  if (service === undefined) return localSigner(library, values);
  const timeoutMs = longestSigning({ kind: values.kind, timeout: values.text("timeout") }) * 1000;
  const signer = await service.open(library, values, { timeoutMs, ...clientOptions(way) });
  // Where people are asked, each signature takes as long as they do.
  return service.mayAskPerson ? signer : fewAtOnce(signer);
}

function localSigner(library: Library, values: SignerValues): Signer {
  return values.kind === "local-rsa"
    ? library.localRsaSigner(values.secret("rsaKey"))
    : library.localEcdsaSigner(values.secret("privateKey"));
}

/**
 * One signer for all nodes, made when it is first needed. Where that fails, the next message tries again. With a pinned key,
 * another key of the key service is refused.
 */
export class SharedSigner {
  readonly #open: () => Promise<OpenSigner>;
  #opened: Promise<OpenSigner> | undefined;
  #isClosed = false;

  constructor(open: () => Promise<OpenSigner>, pinned: PinnedKey | undefined) {
    this.#open = async () => {
      const signer = await open();
      if (!this.#isClosed && (pinned === undefined || isSameKey(signer, pinned))) return signer;
      await signer.close?.();
      throw this.#isClosed ? stopped() : keyChanged();
    };
  }

  /** @throws SIGNER_KEY_CHANGED, INVALID_PRIVATE_KEY, or what the key service answers */
  get(): Promise<Signer> {
    if (this.#opened !== undefined) return this.#opened;
    const opened = this.#open();
    this.#opened = opened;
    opened.catch(() => {
      if (this.#opened === opened) this.#opened = undefined;
    });
    return opened;
  }

  /** Does not wait for a key service that has not answered yet: the signer is closed once it is there. */
  close(): void {
    this.#isClosed = true;
    this.#opened?.then((signer) => signer.close?.()).catch(() => undefined);
  }
}

function isSameKey({ address, publicKey }: Signer, pinned: PinnedKey): boolean {
  if (pinned.publicKey !== undefined) {
    return publicKey !== undefined && isSameRsaKey(publicKey, pinned.publicKey);
  }
  return pinned.address === "" || address?.toLowerCase() === pinned.address.toLowerCase();
}

function keyChanged(): Error {
  return nodeError(
    "SIGNER_KEY_CHANGED",
    "The key service has another key than the one that this signer was set up with. Nothing was signed. If the new key is right, fetch it in the signer's form, allow it in the wallet, and deploy.",
  );
}

function stopped(): Error {
  return nodeError(
    "ABORTED",
    "The signer was closed by a deploy. Nothing was signed. Send the message again.",
  );
}
