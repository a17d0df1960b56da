import { ArgumentError } from "../../errors.ts";
import { anything, checkedBy, milliseconds, oneOf, optional, options, text } from "../../options/index.ts";
import type { Address } from "../../protocol/index.ts";
import { SIGNING_TIMEOUTS_MS } from "../../protocol/signers.ts";
import { readPemPrivateKey } from "../rsa.ts";
import { signCall } from "../signer.ts";
import { CUSTODY, type CustodyOptions, type CustodySigner, visibleText } from "./custody-signer.ts";
import { FIREBLOCKS, FireblocksApi, type FireblocksSource, readKey } from "./fireblocks-api.ts";
import { FireblocksRequests } from "./fireblocks-requests.ts";

export type FireblocksSignerOptions = CustodyOptions & {
  /** `https://sandbox-api.fireblocks.io` for a sandbox. @default "https://api.fireblocks.io" */
  url?: string | undefined;
  /** The id of the API user. */
  apiKey: string;
  /** The key of the API user, as PEM. It signs requests to Fireblocks, not operations. */
  privateKey: string;
  source: FireblocksSource;
  /**
   * `"typed-data"`: approvers and policies see the operation (a typed message, only with a vault account and an EVM
   * asset). `"digest"`: they see 32 bytes (raw signing, which the workspace must allow). @default "digest"
   */
  sends?: "digest" | "typed-data" | undefined;
  /** What approvers read before the description of the operation. */
  note?: string | undefined;
  /** The first pause between two looks at a request to sign, in milliseconds; later ones are longer. @default 1000 */
  pollMs?: number | undefined;
};

const URL = "https://api.fireblocks.io";
const POLL_MS = 1000;
const PATH_LENGTH = 5;
const LARGEST_INDEX = 2 ** 31 - 1;

const fireblocksOptions = options<FireblocksSignerOptions>({
  ...CUSTODY,
  url: optional(text),
  // These have checks of their own.
  ...{ apiKey: anything(), privateKey: anything() },
  source: checkedBy(sourceOf),
  sends: optional(oneOf("digest", "typed-data")),
  note: optional(text),
  pollMs: optional(milliseconds),
});

/**
 * Signs with a key in Fireblocks, for wallets of type `ecdsa`. It asks for a signature and waits until people and
 * policies have decided; `onState` gets each state. A request that was made before, by this or an earlier process, is
 * continued; nobody is asked twice. After a refusal, only another call of `sign` for the same operation asks again.
 *
 * The API user needs a role that may create transactions, and a policy that allows raw or typed messages from the source.
 *
 * @throws {ArgumentError} with the path of the option; {SignerError} `SIGNER_UNAVAILABLE`, `SIGNER_UNAUTHORIZED`,
 * `SIGNER_KEY_UNSUITABLE`, `SIGNER_BAD_ANSWER`. Its `sign` throws also `SIGNER_REFUSED` and `SIGNER_TIMEOUT`.
 * @example
 * const open = () =>
 *   fireblocksSigner({
 *     apiKey: process.env.FIREBLOCKS_API_KEY ?? "",
 *     privateKey: process.env.FIREBLOCKS_SECRET_KEY ?? "",
 *     source: { vaultAccountId: "0", assetId: "ETH" },
 *   });
 */
export async function fireblocksSigner(
  options: FireblocksSignerOptions,
): Promise<CustodySigner & { kind: "ecdsa"; address: Address }> {
  const given = fireblocksOptions(options);
  const { url = URL, note = "", sends = "digest", pollMs = POLL_MS, tls, proxy } = given;
  const { timeoutMs = SIGNING_TIMEOUTS_MS.fireblocks } = given;
  const source = sourceOf(given.source);
  if (sends === "typed-data" && "derivationPath" in source) {
    throw new ArgumentError(
      "sends",
      "Typed data needs a vault account and an asset. With a derivation path, send the digest.",
    );
  }
  const apiKey = visibleText(given.apiKey, "apiKey", "the id of the API user in Fireblocks");
  const key = keyOf(given.privateKey);
  const api = new FireblocksApi({ url, apiKey, key, tls, proxy });
  try {
    const { address, derivationPath } = await readKey(api, source);
    const requests = new FireblocksRequests(api, {
      source,
      address,
      derivationPath,
      sends,
      note,
      pollMs,
      timeoutMs,
    });
    return {
      kind: "ecdsa",
      custodian: FIREBLOCKS,
      address,
      timeoutMs,
      async sign(request, signOptions) {
        return requests.sign(request, signCall(request, signOptions, "all"));
      },
      close: () => api.close(),
    };
  } catch (error) {
    await api.close();
    throw error;
  }
}

function sourceOf(source: FireblocksSource): FireblocksSource {
  if (source && "vaultAccountId" in source) {
    const { vaultAccountId, assetId } = source;
    if (typeof vaultAccountId !== "string" || !/^\d{1,10}$/.test(vaultAccountId)) {
      throw new ArgumentError(
        "source.vaultAccountId",
        "source.vaultAccountId must be the number of the vault account, as text.",
      );
    }
    const asset = visibleText(assetId, "source.assetId", "the id of an EVM asset, such as ETH or ETH_TEST5");
    return { vaultAccountId, assetId: asset };
  }
  const path = source?.derivationPath;
  const isIndex = (index: unknown) =>
    Number.isInteger(index) && Number(index) >= 0 && Number(index) <= LARGEST_INDEX;
  if (Array.isArray(path) && path.length === PATH_LENGTH && path.every(isIndex))
    return { derivationPath: [...path] };
  const message =
    "source must be a vault account and an asset, or a derivation path of five numbers: [44, 60, 0, 0, 0].";
  throw new ArgumentError("source", message);
}

function keyOf(pem: string): string {
  const key = readPemPrivateKey(pem, "privateKey");
  if (key.asymmetricKeyType === "rsa") return key.export({ type: "pkcs8", format: "pem" }).toString();
  throw new ArgumentError("privateKey", "privateKey must be the RSA key of the API user in Fireblocks.", {
    code: "INVALID_PRIVATE_KEY",
  });
}
