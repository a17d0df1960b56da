import { checksumAddress } from "../../abi/index.ts";
import { ArgumentError } from "../../errors.ts";
import { checkedBy, oneOf, optional, options, text, wrong } from "../../options/index.ts";
import type { Address } from "../../protocol/index.ts";
import { SIGNING_TIMEOUTS_MS } from "../../protocol/signers.ts";
import { signCall } from "../signer.ts";
import { CustodianClient } from "./custodian-client.ts";
import { CUSTODY, type CustodyOptions, type CustodySigner } from "./custody-signer.ts";
import { openEth1Key, REMOTE } from "./remote-eth1-sign.ts";
import { openJsonRpcKey, type RemoteSigningMethod, SIGNING_METHODS } from "./remote-json-rpc.ts";

export type RemoteSignerOptions = CustodyOptions & {
  /** The address of the signer, with the path of its interface. */
  url: string;
  /**
   * `eth1-sign` is the REST interface of Web3Signer. `json-rpc` is one of the methods `eth_signTypedData_v4`,
   * `eth_signTypedData` and `account_signTypedData`: the signer gets the whole operation, and can show it to a person.
   */
  protocol: "eth1-sign" | "json-rpc";
  /** With `eth1-sign`: the public key (64 bytes) or the address of the key. @default the only key of the signer */
  identifier?: string | undefined;
  /** With `json-rpc`. @default the first that the signer has */
  method?: RemoteSigningMethod | undefined;
  /** The address of the key. @default with `json-rpc`, the only account of the signer */
  address?: string | undefined;
  /** What the signer, or a proxy before it, asks for. A client certificate is in `tls`. @default nothing */
  authorization?: { bearer: string } | { user: string; password: string } | undefined;
};

const remoteOptions = options<RemoteSignerOptions>({
  ...CUSTODY,
  url: text,
  protocol: oneOf("eth1-sign", "json-rpc"),
  identifier: optional(text),
  method: optional(oneOf(...SIGNING_METHODS)),
  address: optional(text),
  authorization: optional(checkedBy(authorizationOf)),
});

/**
 * Signs with a key in Web3Signer, in clef, or in any signer that has one of their two interfaces. A person may be asked
 * to approve with `json-rpc`. Only a request that was not taken is repeated. A signature takes at most `timeoutMs`,
 * by default 300 s.
 * @throws {ArgumentError} naming the option; {SignerError} `SIGNER_UNAVAILABLE`, `SIGNER_UNAUTHORIZED`,
 * `SIGNER_KEY_UNSUITABLE`, `SIGNER_BAD_ANSWER`, `SIGNER_REFUSED`. Its `sign` throws also `SIGNER_TIMEOUT`.
 * @example
 * const remote = await remoteSigner({ url: "https://signer.example:8550", protocol: "json-rpc", address });
 * remote.address === address; // → true
 * await remote.close();
 */
export async function remoteSigner(
  options: RemoteSignerOptions,
): Promise<CustodySigner & { kind: "ecdsa"; address: Address }> {
  const given = remoteOptions(options);
  const { url, protocol, tls, proxy, method, timeoutMs = SIGNING_TIMEOUTS_MS.remote } = given;
  const address = addressOf(given);
  const { secrets, headers } = authorizationOf(given.authorization);
  const client = new CustodianClient({ custodian: REMOTE, baseUrl: url, secrets, tls, proxy });
  const remote = { client, headers, timeoutMs };
  try {
    const key =
      protocol === "eth1-sign"
        ? await openEth1Key(remote, given.identifier?.trim() || address)
        : await openJsonRpcKey(remote, { method, address });
    return {
      ...{ kind: "ecdsa", custodian: REMOTE, address: key.address, timeoutMs },
      sign: async (request, signOptions) => key.sign(request, signCall(request, signOptions, "all")),
      close: () => client.close(),
    };
  } catch (error) {
    await client.close();
    throw error;
  }
}

function addressOf({ address }: RemoteSignerOptions): Address | undefined {
  return address === undefined || address === "" ? undefined : checksumAddress(address, "address");
}

type Authorization = { secrets: string[]; headers: Record<string, string> };

/** @throws {ArgumentError} naming the part of `authorization`; no message contains a secret. */
function authorizationOf(given: RemoteSignerOptions["authorization"]): Authorization {
  if (given === undefined) return { secrets: [], headers: {} };
  if (typeof given !== "object" || given === null) {
    throw wrong("authorization", "an object with bearer, or with user and password", given);
  }
  if ("bearer" in given) {
    const bearer = headerText("authorization.bearer", given.bearer);
    return { secrets: [bearer], headers: { authorization: `Bearer ${bearer}` } };
  }
  const { user, password } = given;
  if (headerText("authorization.user", user).includes(":")) {
    throw new ArgumentError("authorization.user", "authorization.user must not contain a colon.");
  }
  text(password, "authorization.password");
  const basic = Buffer.from(`${user}:${password}`).toString("base64");
  return { secrets: [password], headers: { authorization: `Basic ${basic}` } };
}

function headerText(path: string, text: string): string {
  if (typeof text === "string" && /^[\x21-\x7e]+$/.test(text)) return text;
  throw new ArgumentError(path, `${path} must be text of one line, without spaces. Copy it again.`);
}
