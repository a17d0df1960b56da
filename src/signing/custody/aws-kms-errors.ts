import { CrecError } from "../../errors.ts";
import { maskOf, tryParse } from "../../http/index.ts";
import type { KmsAnswer } from "./aws-kms/index.ts";
import { type AwsKmsSettings, wrongRegion } from "./aws-kms-settings.ts";
import { excerpt, textAt } from "./custodian-answers.ts";
import { SignerError, type SignerErrorCode } from "./signer-error.ts";

type Settings = Pick<AwsKmsSettings, "keyId" | "region" | "credentials">;
type Explained = { code: SignerErrorCode; sentence: string; isQuoted?: boolean; retryable?: boolean };

const ACCESS_KEY_ID = /\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/gi;
const UNAUTHORIZED = "SIGNER_UNAUTHORIZED";
const UNSUITABLE = "SIGNER_KEY_UNSUITABLE";
const UNAVAILABLE = "SIGNER_UNAVAILABLE";

const EXPIRED: Explained = {
  code: UNAUTHORIZED,
  sentence:
    "The temporary credentials for AWS have expired. Enter new ones; or use an access key that stays valid, or the role of the host, which renews itself",
};
const UNKNOWN_ACCESS_KEY: Explained = {
  code: UNAUTHORIZED,
  sentence:
    "AWS does not know the access key: it was deleted or deactivated, or its session token belongs to another one. Enter the credentials again",
};
const WRONG_CLOCK: Explained = {
  code: UNAUTHORIZED,
  sentence:
    "The clock of this machine differs from that of AWS by more than five minutes, so AWS refuses its requests. Set the clock",
};
const WRONG_SECRET: Explained = {
  code: UNAUTHORIZED,
  sentence:
    "The secret access key does not belong to the access key id, or a proxy changed the request. Enter both again",
};
const WRONG_SCOPE: Explained = {
  code: UNAUTHORIZED,
  sentence: "The endpoint belongs to another region than the signer. Correct one of them",
};
const NO_CREDENTIALS: Explained = {
  code: UNAUTHORIZED,
  sentence:
    "AWS's tools find no valid credentials on this machine. Give the instance or the container a role, sign in with aws sso login, or enter an access key in the signer",
  isQuoted: true,
};
const BUSY: Explained = {
  code: UNAVAILABLE,
  sentence: "AWS KMS accepts no more requests now. Try again later, or ask AWS for a higher quota",
};
const FAILING: Explained = {
  code: UNAVAILABLE,
  sentence: "AWS KMS fails at the moment. Try again later",
  isQuoted: true,
};

/** By the names that AWS gives its errors, without the suffix that some have. */
const BY_NAME: Readonly<Record<string, Explained | undefined>> = {
  AccessDenied: {
    code: UNAUTHORIZED,
    sentence:
      "AWS does not permit these credentials to use the key. Allow kms:GetPublicKey and kms:Sign on this key, in the key's policy or in the IAM policy of the user or role",
    isQuoted: true,
  },
  ExpiredToken: EXPIRED,
  UnrecognizedClient: UNKNOWN_ACCESS_KEY,
  InvalidClientTokenId: UNKNOWN_ACCESS_KEY,
  RequestExpired: WRONG_CLOCK,
  CredentialsProviderError: NO_CREDENTIALS,
  TokenProviderError: NO_CREDENTIALS,
  Disabled: {
    code: UNSUITABLE,
    sentence: "The key is disabled. Enable it in AWS KMS",
  },
  KMSInvalidState: {
    code: UNSUITABLE,
    sentence:
      "The key cannot be used in its present state. If it is pending deletion, cancel that in AWS KMS; otherwise check its status there",
    isQuoted: true,
  },
  UnsupportedOperation: {
    code: UNSUITABLE,
    sentence:
      "The key cannot sign: it is symmetric, or of another kind. Create a key with key usage SIGN_VERIFY and key spec ECC_SECG_P256K1, or RSA_2048 for a wallet of type rsa",
  },
  InvalidKeyUsage: {
    code: UNSUITABLE,
    sentence: "The key is not for signatures. Create a key with key usage SIGN_VERIFY",
  },
  InvalidArn: {
    code: UNSUITABLE,
    sentence: "The key's ARN is not one of AWS KMS. Copy it again from there",
    isQuoted: true,
  },
  Throttling: BUSY,
  Throttled: BUSY,
  LimitExceeded: BUSY,
  KeyUnavailable: FAILING,
  DependencyTimeout: FAILING,
};

/**
 * The error for what the SDK throws; one of this library is returned as it is. No secret is in it. `isSigning`: whether a
 * repeat would ask for the signature again.
 */
export function kmsError(
  error: unknown,
  settings: Settings,
  { isSigning = false }: { isSigning?: boolean } = {},
): CrecError {
  if (error instanceof CrecError) return error;
  const thrown = read(error);
  const { name: state, message } = thrown;
  if (/^Region (?:is missing|not accepted)/.test(message)) return wrongRegion();
  const explained = explain(thrown, settings);
  const { code, sentence, isQuoted = false, retryable = code === UNAVAILABLE } = explained;
  const said = isQuoted ? `. It said: ${excerpt(masked(message, settings)).replace(/\.$/, "")}` : "";
  // No cause: it holds the answer, which may repeat what was signed, with a session token in it.
  const isAsked = isSigning && retryable && explained !== BUSY && thrown.status !== 503;
  return new SignerError(code, `${sentence}${said} (${place(settings)}).`, { state, retryable, isAsked });
}

/** The parts of an error of the SDK that are used. `status` is undefined where there was no answer. */
type Thrown = { name: string; message: string; status: number | undefined };

function explain({ name, message, status }: Thrown, settings: Settings): Explained {
  const short = name.replace(/Exception$/, "");
  if (short === "NotFound") return notFound(settings);
  if (short === "InvalidSignature" || short === "SignatureDoesNotMatch") return badSignature(message);
  if (Object.hasOwn(BY_NAME, short)) return BY_NAME[short] ?? FAILING;
  if (status === undefined) return NOT_SENT;
  if (status === 429) return BUSY;
  if (status >= 500) return FAILING;
  const isUnreadable = status < 400 || name === "SyntaxError";
  if (isUnreadable && (status === 401 || status === 403)) return FORBIDDEN;
  if (isUnreadable) return { code: "SIGNER_BAD_ANSWER", sentence: NOT_KMS };
  const sentence = `AWS KMS did not accept the request (${short}, HTTP ${status}), which is not a decision. Nothing was submitted. Check the signer`;
  return { code: UNAVAILABLE, sentence, isQuoted: true };
}

/** The SDK could not make the request, as where the configuration of AWS's tools on this machine is wrong. */
const NOT_SENT: Explained = {
  code: UNAVAILABLE,
  sentence:
    "The request to AWS KMS could not be made. Check the configuration of AWS's tools on this machine",
  isQuoted: true,
  retryable: false,
};
/** Not in the words of AWS KMS. */
const FORBIDDEN: Explained = {
  code: UNAUTHORIZED,
  sentence:
    "AWS, or a proxy before it, refused the request. Check the credentials, the permissions kms:GetPublicKey and kms:Sign, and the proxy",
};
const NOT_KMS =
  "The answer is not one of AWS KMS. Check the endpoint in the signer, and whether a proxy answered instead";

function notFound({ region, keyId }: Settings): Explained {
  const isBare = !/^(?:arn:|alias\/)/.test(keyId);
  const hint = isBare ? " An alias is written alias/name, and the key of another account as its ARN." : "";
  const where = region === undefined ? "the region of this machine" : region;
  const sentence = `AWS KMS has no such key in ${where}.${hint} Check the key's id, the region, and to which account the credentials belong`;
  return { code: UNSUITABLE, sentence };
}

function badSignature(message: string): Explained {
  if (/Signature (?:expired|not yet current)/i.test(message)) return WRONG_CLOCK;
  return /scoped to a valid region|scoped to correct service/i.test(message) ? WRONG_SCOPE : WRONG_SECRET;
}

function read(error: unknown): Thrown {
  const { name, message, $metadata, $response } = error as {
    name?: unknown;
    message?: unknown;
    $metadata?: { httpStatusCode?: unknown };
    $response?: { statusCode?: unknown };
  };
  const status = $metadata?.httpStatusCode ?? $response?.statusCode;
  return {
    // It comes from the answer.
    name: typeof name === "string" && /^\w{1,60}$/.test(name) ? name : "unknown",
    message: String(message),
    status: typeof status === "number" ? status : undefined,
  };
}

/** What AWS KMS says may repeat what was signed. Of the role of a machine, only the form of an access key id is known. */
function masked(text: string, { credentials }: Settings): string {
  const withoutIds = text.replace(ACCESS_KEY_ID, "***");
  if (credentials === "host") return withoutIds;
  const { accessKeyId, secretAccessKey, sessionToken = "" } = credentials;
  return maskOf([accessKeyId, secretAccessKey, sessionToken])(withoutIds);
}

function place({ keyId, region }: Settings): string {
  return region === undefined ? keyId : `${keyId}, ${region}`;
}

/** The name of an error in an answer; its status where it has none. */
export function failureNamed({ statusCode, body }: KmsAnswer): string {
  const name = textAt(tryParse(new TextDecoder().decode(body)), "__type")?.replace(/^.*#/s, "") ?? "";
  return /^\w{1,60}$/.test(name) ? name : String(statusCode);
}

export function late(timeoutMs: number, seen?: string): SignerError {
  const last = seen === undefined ? "" : ` (${seen})`;
  const message = `No signature of AWS KMS within the signer's time-out of ${timeoutMs / 1000} s${last}. Nothing was submitted. Check the network, or set a longer time-out in the signer.`;
  return new SignerError("SIGNER_TIMEOUT", message, { state: seen });
}

export function notOfKey(keyId: string): CrecError {
  const message = `The signature was not made by the key that AWS KMS named before. Nothing was submitted. If the signer uses an alias, it may belong to another key now: open the signer again, or name the key by its id (${keyId}).`;
  return new CrecError("SIGNATURE_MISMATCH", message);
}

export function unreadable(keyId: string): SignerError {
  const message = `AWS KMS answered without a signature that can be read. Check the endpoint in the signer (${keyId}).`;
  return new SignerError("SIGNER_BAD_ANSWER", message);
}
