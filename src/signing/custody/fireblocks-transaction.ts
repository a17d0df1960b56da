import type { Hex } from "../../protocol/index.ts";
import type { SigningState } from "../signer.ts";
import { type CustodianAnswer, excerpt, fieldAt, quoted, textAt } from "./custodian-answers.ts";
import { FIREBLOCKS } from "./fireblocks-api.ts";
import { SignerError, type SignerErrorCode } from "./signer-error.ts";

/** A transaction of the API: a request to sign. */
export type FireblocksTransaction = {
  id: string;
  status: string;
  json: unknown;
  /** As they become parts of a status and of sentences. */
  shown: { id: string; status: string; subStatus: string };
  /** The same of another text. */
  quote: (text: string) => string;
};

/** What was asked to be signed. */
type Asked = {
  /** Where only the digest was sent. */
  content: string | undefined;
  /** Where it is known. */
  derivationPath: readonly number[] | undefined;
};

/** In these, somebody has to act on a phone or in the console, unless a machine is set up to do it. */
const FOR_PEOPLE = [
  "PENDING_AUTHORIZATION",
  "PENDING_SIGNATURE",
  "PENDING_3RD_PARTY_MANUAL_APPROVAL",
  "PENDING_EMAIL_APPROVAL",
];

/** Final states without a signature. */
const FAILURES: Readonly<Record<string, { code: SignerErrorCode; sentence: string }>> = {
  REJECTED: { code: "SIGNER_REFUSED", sentence: "A person or a screening refused to sign." },
  BLOCKED: {
    code: "SIGNER_REFUSED",
    sentence:
      "A policy forbids this signature. Ask the person who manages the policies to allow raw signing or typed messages for this source.",
  },
  CANCELLED: { code: "SIGNER_REFUSED", sentence: "Somebody cancelled the request to sign." },
  // Not a decision of anyone.
  FAILED: { code: "SIGNER_UNAVAILABLE", sentence: "The request to sign failed, for the reason below." },
  PARTIALLY_COMPLETED: {
    code: "SIGNER_UNAVAILABLE",
    sentence: "The request to sign failed, for the reason below.",
  },
  TIMEOUT: {
    code: "SIGNER_TIMEOUT",
    sentence: "Nobody approved or signed in the time that Fireblocks allows.",
  },
};

const SCALAR = /^(?:0x)?([0-9a-f]{1,64})$/i;

export function transactionOf(answer: CustodianAnswer): FireblocksTransaction | undefined {
  const { json } = answer;
  const id = textAt(json, "id");
  const status = textAt(json, "status");
  if (id === undefined || status === undefined) return undefined;
  const quote = (text: string) => quoted(text, answer);
  const subStatus = quote(textAt(json, "subStatus") ?? "");
  return {
    ...{ id, status: status === "" ? "" : excerpt(status), json },
    ...{ shown: { id: quote(id), status: quote(status), subStatus }, quote },
  };
}

export function stateOf({ status, shown }: FireblocksTransaction): SigningState {
  return { state: shown.status, isForPerson: FOR_PEOPLE.includes(status) };
}

export function isSigned({ status }: FireblocksTransaction): boolean {
  return status === "COMPLETED";
}

/** The error of a transaction that ended without a signature; undefined for any other. */
export function failureOf({ status, shown }: FireblocksTransaction): SignerError | undefined {
  const failure = Object.hasOwn(FAILURES, status) ? FAILURES[status] : undefined;
  if (failure === undefined) return undefined;
  const { id, subStatus } = shown;
  const detail = subStatus === "" ? status : `${status}, ${subStatus}`;
  const message = `${failure.sentence} Nothing was submitted. To ask again, repeat the operation. ${FIREBLOCKS}: ${detail}, transaction ${id}.`;
  return new SignerError(failure.code, message, {
    ...{ state: subStatus === "" ? status : subStatus, isAsked: true },
  });
}

/**
 * The signature of a signed transaction: r and s. Its v differs by kind of message, and is not needed.
 * @throws {SignerError} `SIGNER_BAD_ANSWER`, also when something else was signed, or with another key.
 */
export function signatureIn(
  { json, shown, quote }: FireblocksTransaction,
  { content, derivationPath }: Asked,
): { r: Hex; s: Hex } {
  const bad = (what: string) =>
    new SignerError(
      "SIGNER_BAD_ANSWER",
      `${what} Nothing was submitted. Look at transaction ${shown.id} in ${FIREBLOCKS}.`,
    );
  const [signed, ...others] = [fieldAt(json, "signedMessages")].flat();
  if (signed === undefined || others.length > 0)
    throw bad("The completed transaction does not have exactly one signature.");
  const signedContent = fieldAt(signed, "content");
  if (content !== undefined && String(signedContent).replace(/^0x/, "").toLowerCase() !== content) {
    throw bad("Something other than this operation was signed.");
  }
  const path = fieldAt(signed, "derivationPath");
  if (derivationPath && Array.isArray(path) && path.join("/") !== derivationPath.join("/")) {
    throw bad(`The key at ${quote(path.join("/"))} signed, and not the one at ${derivationPath.join("/")}.`);
  }
  const r = scalar(fieldAt(signed, "signature", "r"));
  const s = scalar(fieldAt(signed, "signature", "s"));
  if (r === undefined || s === undefined) throw bad("The signature in the answer has no valid r and s.");
  return { r, s };
}

function scalar(value: unknown): Hex | undefined {
  const digits = SCALAR.exec(String(value))?.[1];
  return digits === undefined ? undefined : `0x${digits.toLowerCase().padStart(64, "0")}`;
}
