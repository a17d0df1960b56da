import { CrecError } from "../../errors.ts";
import { type AwsKmsSettings, wrongRegion } from "./aws-kms-settings.ts";
import { excerpt, scrubberOf } from "./custodian-client.ts";
import { SignerError, type SignerErrorCode } from "./signer-error.ts";

type Settings = Pick<AwsKmsSettings, "keyId" | "region" | "credentials">;
type Explained = { code: SignerErrorCode; sentence: string; isQuoted?: boolean };

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

/** The error for what the SDK throws; one of this library is returned as it is. No secret is in it. */
export function kmsError(error: unknown, settings: Settings): CrecError {
  if (error instanceof CrecError) return error;
  const { name, message, status } = read(error);
  if (/^Region is missing/.test(message)) return wrongRegion();
  const state = name.slice(0, 60);
  const { code, sentence, isQuoted = false } = explain(name, message, { status, settings });
  const clean = scrub(message, settings);
  const said = isQuoted ? `. It said: ${excerpt(clean).replace(/\.$/, "")}` : "";
  // No cause: it holds the answer, which may repeat what was signed, with a session token in it.
  return new SignerError(code, `${sentence}${said} (${place(settings)}).`, { state });
}

type Circumstances = { status: number | undefined; settings: Settings };

function explain(name: string, message: string, { status, settings }: Circumstances): Explained {
  const short = name.replace(/Exception$/, "");
  if (short === "NotFound") return notFound(settings);
  if (short === "InvalidSignature" || short === "SignatureDoesNotMatch") return badSignature(message);
  const known = BY_NAME[short];
  if (known !== undefined) return known;
  if (status === 429) return BUSY;
  if (status !== undefined && status >= 500) return FAILING;
  if (status === undefined || status < 400 || name === "SyntaxError") {
    return { code: "SIGNER_BAD_ANSWER", sentence: NOT_KMS };
  }
  const sentence = `AWS KMS refused the request (${short.slice(0, 60)}, HTTP ${status}). Nothing was submitted. Check the signer`;
  return { code: "SIGNER_REFUSED", sentence, isQuoted: true };
}

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

function read(error: unknown): { name: string; message: string; status: number | undefined } {
  if (!(error instanceof Error)) return { name: "", message: String(error), status: undefined };
  const { $metadata } = error as { $metadata?: { httpStatusCode?: unknown } };
  const status = $metadata?.httpStatusCode;
  return {
    name: error.name,
    message: error.message,
    status: typeof status === "number" ? status : undefined,
  };
}

function scrub(text: string, { credentials }: Settings): string {
  if (credentials === "host") return text;
  return scrubberOf([credentials.secretAccessKey, credentials.sessionToken ?? ""])(text);
}

function place({ keyId, region }: Settings): string {
  return region === undefined ? keyId : `${keyId}, ${region}`;
}

export function late(timeoutMs: number): SignerError {
  const message = `No answer of AWS KMS within the signer's time-out of ${timeoutMs / 1000} s. Nothing was submitted. Check the network, or set a longer time-out in the signer.`;
  return new SignerError("SIGNER_TIMEOUT", message);
}

export function notOfKey(keyId: string): CrecError {
  const message = `The signature was not made by the key that AWS KMS named before. Nothing was submitted. If the signer uses an alias, it may belong to another key now: open the signer again, or name the key by its id (${keyId}).`;
  return new CrecError("SIGNATURE_MISMATCH", message);
}

export function unreadable(keyId: string): SignerError {
  const message = `AWS KMS answered without a signature that can be read. Check the endpoint in the signer (${keyId}).`;
  return new SignerError("SIGNER_BAD_ANSWER", message);
}
