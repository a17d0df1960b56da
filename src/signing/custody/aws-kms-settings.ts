import { ArgumentError } from "../../errors.ts";
import {
  baseUrlOf,
  bounded,
  type OutgoingRequest,
  openSocketPool,
  proxyFor,
  type SocketPool,
  type UsedProxy,
  withProxy,
} from "../../http/index.ts";
import { anything, optional, options, reading, text } from "../../options/index.ts";
import { SIGNING_TIMEOUTS_MS } from "../../protocol/signers.ts";
import type { KmsAnswer, KmsCredentials } from "./aws-kms/index.ts";
import { closed, requestFailure, silent } from "./custodian-answers.ts";
import { CUSTODY, type CustodyOptions } from "./custody-signer.ts";

export type AwsKmsOptions = CustodyOptions & {
  /** The key's id or ARN, or an alias as `alias/name` or as its ARN. The key of another account needs an ARN. */
  keyId: string;
  /** @default that of an ARN, else `AWS_REGION` of the environment where the credentials come from there or the host */
  region?: string | undefined;
  /** Such as a VPC endpoint or an emulator. @default that of the region */
  endpoint?: string | undefined;
  /**
   * An access key; or `"environment"`: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`; or
   * `"host"`: whatever AWS's own tools find on this machine, such as the role of an instance or a container, a session of
   * single sign-on, or a profile.
   */
  credentials: AwsCredentials | "environment" | "host";
};

/** An access key of AWS. A temporary one has a session token. */
export type AwsCredentials = KmsCredentials;

export type AwsKmsSettings = {
  keyId: string;
  region: string | undefined;
  endpoint: string | undefined;
  credentials: AwsCredentials | "host";
  timeoutMs: number;
};

type Environment = Readonly<Record<string, string | undefined>>;

const KEY_ID = /^[\w:/-]{1,2048}$/;
const REGION_OF_ARN = /^arn:[\w-]+:kms:([\w-]+):/;
/** It becomes a part of the host's name. */
const REGION = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const NO_BLANKS = /^[\x21-\x7e]+$/;

/** @throws {ArgumentError} naming the option. */
export const awsKmsOptions = options<AwsKmsOptions>({
  ...CUSTODY,
  region: optional(text),
  endpoint: optional(text),
  // These have checks of their own.
  ...{ keyId: anything(), credentials: anything() },
});

/** @throws {ArgumentError} naming the option; no message contains a credential. */
export function awsKmsSettings(given: AwsKmsOptions, environment: Environment): AwsKmsSettings {
  const options = awsKmsOptions(given);
  const { endpoint, timeoutMs = SIGNING_TIMEOUTS_MS["aws-kms"], proxy } = options;
  const keyId = keyIdOf(options.keyId);
  // What is wrong with it is said before anything is sent.
  proxyFor(proxy, new URL("https://kms.amazonaws.com"), environment);
  return {
    keyId,
    region: regionOf(options, keyId, environment),
    endpoint: endpointOf(textOf(endpoint)),
    credentials: credentialsOf(options.credentials, environment),
    timeoutMs,
  };
}

function keyIdOf(written: string): string {
  const keyId = typeof written === "string" ? written.trim() : "";
  if (KEY_ID.test(keyId)) return keyId;
  const message = "keyId must be the id or the ARN of a key in AWS KMS, or an alias such as alias/payments.";
  throw new ArgumentError("keyId", message);
}

function regionOf({ region: written, credentials }: AwsKmsOptions, keyId: string, environment: Environment) {
  const ofArn = REGION_OF_ARN.exec(keyId)?.[1];
  const given = textOf(written);
  if (given !== undefined && ofArn !== undefined && given !== ofArn) {
    throw new ArgumentError(
      "region",
      `The region is ${given.slice(0, 63)}, and the key's ARN says ${ofArn}. Correct one of them.`,
    );
  }
  const { AWS_REGION, AWS_DEFAULT_REGION } = environment;
  const ofEnvironment = credentials === "environment" ? AWS_REGION || AWS_DEFAULT_REGION : undefined;
  const region = given ?? ofArn ?? ofEnvironment;
  if (region === undefined && credentials === "host") return undefined;
  if (region !== undefined && REGION.test(region)) return region;
  throw wrongRegion();
}

/** For a region that is missing or cannot be one. */
export function wrongRegion(): ArgumentError {
  return new ArgumentError("region", "region must be that of the key in AWS KMS, such as eu-central-1.");
}

function endpointOf(endpoint: string | undefined): string | undefined {
  try {
    return endpoint === undefined ? undefined : baseUrlOf(endpoint).href;
  } catch {
    // What was thrown names another option.
    const message =
      "endpoint must be a complete http or https address without user name, password, ? and #, such as https://vpce-1234-abcd.kms.eu-central-1.vpce.amazonaws.com.";
    throw new ArgumentError("endpoint", message);
  }
}

function credentialsOf(
  credentials: AwsKmsOptions["credentials"],
  environment: Environment,
): AwsCredentials | "host" {
  if (credentials === "host") return "host";
  if (credentials === "environment") return ofEnvironment(environment);
  if (typeof credentials === "object" && credentials !== null) {
    return checked(credentials, (name) => `credentials.${name}`);
  }
  const message = 'credentials must be an access key, "environment" or "host".';
  throw new ArgumentError("credentials", message);
}

/** Undefined for an option that is blank, as where it comes from an empty environment variable. */
function textOf(option: string | undefined): string | undefined {
  return option?.trim() || undefined;
}

const VARIABLES = {
  accessKeyId: "AWS_ACCESS_KEY_ID",
  secretAccessKey: "AWS_SECRET_ACCESS_KEY",
  sessionToken: "AWS_SESSION_TOKEN",
} as const;

function ofEnvironment(environment: Environment): AwsCredentials {
  const { accessKeyId, secretAccessKey, sessionToken } = VARIABLES;
  return checked(
    {
      accessKeyId: environment[accessKeyId] ?? "",
      secretAccessKey: environment[secretAccessKey] ?? "",
      sessionToken: environment[sessionToken],
    },
    (name) => `The environment variable ${VARIABLES[name]}`,
  );
}

function checked(given: AwsCredentials, nameOf: (name: keyof AwsCredentials) => string): AwsCredentials {
  const read = (name: keyof AwsCredentials, what: string) => {
    const value: unknown = reading(`credentials.${name}`, () => given[name]);
    const trimmed = typeof value === "string" ? value.trim() : "";
    if (NO_BLANKS.test(trimmed)) return trimmed;
    const message = `${nameOf(name)} must be ${what}, without spaces and line breaks. Enter it again.`;
    throw new ArgumentError(`credentials.${name}`, message);
  };
  const accessKeyId = read("accessKeyId", "the id of an access key of AWS");
  const secretAccessKey = read("secretAccessKey", "the secret of the access key");
  const isTemporary = accessKeyId.startsWith("ASIA");
  const token: unknown = reading("credentials.sessionToken", () => given.sessionToken);
  const isBlank = token === undefined || (typeof token === "string" && token.trim() === "");
  if (!isTemporary && isBlank) return { accessKeyId, secretAccessKey };
  const what = "the session token of the access key, which is a temporary one";
  return { accessKeyId, secretAccessKey, sessionToken: read("sessionToken", what) };
}

type KmsRequests = {
  /** Fires when it is closed. */
  closing: AbortSignal;
  /** @throws {SignerError} `SIGNER_UNAVAILABLE`; {AbortedError}; {ClientClosedError} */
  send(request: OutgoingRequest, signal: AbortSignal | undefined): Promise<KmsAnswer>;
  close(): Promise<void>;
};

type Options = CustodyOptions & { endpoint: string | undefined };

const CONNECT_TIMEOUT_MS = 5_000;
const ATTEMPT_TIMEOUT_MS = 8_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * Sends the requests of the SDK, by the TLS settings and the proxy of the signer. Most go to one address; those for the
 * credentials of a host go to others.
 */
export function openKmsRequests({ tls, proxy, endpoint }: Options): KmsRequests {
  const called = { custodian: "AWS", address: endpoint === undefined ? "the region" : "the endpoint" };
  const pools = new Map<string, SocketPool>();
  const poolOf = (origin: string, through: UsedProxy | undefined): SocketPool => {
    const pool =
      pools.get(origin) ??
      openSocketPool({
        tls,
        proxy: through?.url,
        connectTimeoutMs: CONNECT_TIMEOUT_MS,
        maxResponseBytes: MAX_ANSWER_BYTES,
      });
    pools.set(origin, pool);
    return pool;
  };
  const closing = new AbortController();
  return {
    closing: closing.signal,
    send(request, signal) {
      const { host } = new URL(request.origin);
      const through = proxyFor(proxy, new URL(request.origin), process.env);
      const bounds = {
        timeoutMs: ATTEMPT_TIMEOUT_MS,
        onTimeout: () => silent(`AWS at ${withProxy(host, through)}`),
        signals: [signal, closing.signal],
      };
      return bounded(bounds, async (within) => {
        const { dispatcher } = poolOf(request.origin, through);
        try {
          const { statusCode, headers, body } = await dispatcher.request({ ...request, signal: within });
          return { statusCode, headers: single(headers), body: new TextEncoder().encode(await body.text()) };
        } catch (error) {
          throw requestFailure(error, host, (text) => text, { ...called, proxy: through });
        }
      });
    },
    async close() {
      closing.abort(closed());
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

function single(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
