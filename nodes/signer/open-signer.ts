import type { RsaPublicKey, Signer, SignOptions, SignRequest } from "../../src/index.ts";
import type { SignerNode } from "../common/fields/config-nodes.ts";
import { type Library, loadLibrary } from "../common/library.ts";
import { nodeError } from "../common/shared/errors.ts";
import { longestSigning } from "../common/shared/signers.ts";
import { keyServiceOf } from "./key-services.ts";
import { clientOptions, type TransportOptions } from "./transport-options.ts";
import type { SignerValues } from "./values.ts";

/** A signer, with what its form's questions are compared with. */
export type DeployedSigner = SignerNode & {
  /** Everything that can read its secrets; undefined where they are not sent. */
  receivers?: readonly string[];
  /** What the environment or the machine supplies in place of a secret. */
  ambient?: string | undefined;
};

/** A signer that may have connections to end. */
export type OpenSigner = Signer & { close?(): Promise<void> };

/** The key that a form was shown. */
export type PinnedKey = { address: string; publicKey: RsaPublicKey | undefined };

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

/** Whether two public keys are the same. Exponents are written with and without leading zeros. */
export function isSameRsaKey(one: RsaPublicKey, other: RsaPublicKey): boolean {
  return digitsOf(one) === digitsOf(other);
}

/** One of them may come from a form or the service, so its parts may be missing. */
function digitsOf({ e, n }: RsaPublicKey): string {
  return [e, n].map((hex) => String(hex).toLowerCase().replace(/^0x0*/, "")).join(" ");
}

/** Key services limit requests by the second, and a burst of messages asks for all its signatures in one moment. */
const MOST = 16;

/** The same signer, asked for a few signatures at once. The others wait here, in their order, and until their signal. */
export function fewAtOnce<S extends Signer>(signer: S, most = MOST): S {
  const waiting = new Set<() => void>();
  let asked = 0;
  const turn = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        waiting.delete(enter);
        signal?.removeEventListener("abort", stop);
        settle();
      };
      const stop = () => end(() => reject(signal?.reason));
      const enter = () =>
        end(() => {
          asked += 1;
          resolve();
        });
      if (asked < most) return enter();
      waiting.add(enter);
      signal?.addEventListener("abort", stop);
    });
  const sign = async (request: SignRequest, options: SignOptions = {}) => {
    options.signal?.throwIfAborted();
    await turn(options.signal);
    try {
      return await signer.sign(request, options);
    } finally {
      asked -= 1;
      const [next] = waiting;
      next?.();
    }
  };
  return { ...signer, sign };
}
