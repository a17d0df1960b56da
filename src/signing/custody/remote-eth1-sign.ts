import * as OxAddress from "ox/Address";
import * as PublicKey from "ox/PublicKey";
import { checksumAddress } from "../../abi/index.ts";
import { ArgumentError } from "../../errors.ts";
import type { Address, Hex } from "../../protocol/index.ts";
import type { SignOptions, SignRequest } from "../signer.ts";
import { badAnswer, type CustodianAnswer, refusalOf, textAt } from "./custodian-answers.ts";
import type { CustodianClient } from "./custodian-client.ts";
import { SignerError } from "./signer-error.ts";

/** What the two protocols of remote signers need. */
export type Remote = {
  client: CustodianClient;
  headers: Record<string, string>;
  timeoutMs: number;
};

/** A key of a remote signer. */
export type RemoteKey = {
  address: Address;
  sign(request: SignRequest, options: SignOptions): Promise<Hex>;
};

/** A remote signer at the start of a sentence. */
export const REMOTE = "The remote signer";

/** A key as the signer names it. */
type ListedKey = { identifier: string; address: Address };

/** 64 bytes, also with the leading 04 of an uncompressed key. */
const PUBLIC_KEY = /^(?:0x)?(?:04)?([0-9a-f]{128})$/i;
const SIGNATURE = /^(?:0x)?([0-9a-f]{130})$/i;
/** So many keys are named in an error. */
const SHOWN = 5;
/** A signer, or a proxy before it, that does not list its keys. */
const UNLISTED = [401, 403, 404, 405];

/**
 * Finds a key of Web3Signer by its public key or address. It signs the EIP-712 preimage: the signer hashes what it is
 * given.
 * @throws {ArgumentError} naming `identifier`; {SignerError}
 */
export async function openEth1Key(remote: Remote, wanted: string | undefined): Promise<RemoteKey> {
  const { identifier, address } = await findKey(remote, wanted);
  return {
    address,
    async sign({ preimage }, options) {
      const answer = await remote.client.call({
        ...{ method: "POST", path: `/api/v1/eth1/sign/${identifier}` },
        headers: {
          ...remote.headers,
          ...{ accept: "text/plain, application/json", "content-type": "application/json" },
        },
        body: JSON.stringify({ data: preimage }),
        repeats: false,
        ...{ ...options, withinMs: remote.timeoutMs },
      });
      if (answer.status !== 200) throw refusalOf(REMOTE, answer);
      return signatureOf(answer);
    },
  };
}

async function findKey(remote: Remote, wanted: string | undefined): Promise<ListedKey> {
  const named = wanted === undefined ? undefined : keyOf(wanted);
  const address =
    named?.address ?? (wanted === undefined ? undefined : checksumAddress(wanted, "identifier"));
  const answer = await remote.client.call({
    ...{ method: "GET", path: "/api/v1/eth1/publicKeys" },
    headers: remote.headers,
    repeats: true,
  });
  if (named && UNLISTED.includes(answer.status)) return named;
  if (answer.status !== 200) throw refusalOf(REMOTE, answer);
  if (!Array.isArray(answer.json)) throw badAnswer(REMOTE, "list of public keys", answer);
  const keys = answer.json.flatMap((text) => keyOf(text) ?? []);
  const found = keys.filter((key) => address === undefined || key.address === address);
  const [only] = found;
  if (only && found.length === 1) return only;
  throw noSuchKey(address, keys);
}

/** Undefined for a text that is not a public key of secp256k1. */
function keyOf(text: unknown): ListedKey | undefined {
  const digits = typeof text === "string" ? PUBLIC_KEY.exec(text.trim())?.[1] : undefined;
  if (digits === undefined) return undefined;
  const identifier = `0x${digits.toLowerCase()}` as const;
  const address = OxAddress.checksum(OxAddress.fromPublicKey(PublicKey.fromHex(identifier)));
  return { identifier, address };
}

/** Plain text; some signers write it as JSON. */
function signatureOf(answer: CustodianAnswer): Hex {
  const { json, text } = answer;
  const written = textAt(json) ?? textAt(json, "signature") ?? text;
  const digits = SIGNATURE.exec(written.trim())?.[1];
  if (digits === undefined) throw badAnswer(REMOTE, "signature of 65 bytes", answer);
  return `0x${digits}`;
}

function noSuchKey(address: Address | undefined, keys: readonly ListedKey[]): ArgumentError | SignerError {
  const shown = keys.slice(0, SHOWN).map((key) => key.address);
  const list = [...shown, ...(keys.length > SHOWN ? ["…"] : [])].join(", ");
  if (address === undefined && keys.length > 1) {
    const message = `The remote signer has several keys. Enter the public key or the address of one: ${list}.`;
    return new ArgumentError("identifier", message);
  }
  const has = list === "" ? "It has no secp256k1 key" : `It has those of ${list}`;
  const what = address === undefined ? "a key" : `the key of ${address}`;
  const message = `The remote signer does not have ${what}. ${has}. Load the key there, or correct the identifier in the signer.`;
  return new SignerError("SIGNER_KEY_UNSUITABLE", message);
}
