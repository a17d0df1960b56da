import { GetPublicKeyCommand, KMSClient, SignCommand } from "@aws-sdk/client-kms";
import { defaultProvider } from "@aws-sdk/credential-provider-node";
import type { OutgoingRequest } from "../../../http/index.ts";

/** An answer of HTTP with its whole body. */
export type KmsAnswer = { statusCode: number; headers: Record<string, string>; body: Uint8Array };

export type KmsCredentials = {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
};

export type KmsSettings = {
  /** @default for `"host"` what the configuration of the machine says */
  region: string | undefined;
  /** @default that of the region */
  endpoint: string | undefined;
  credentials: KmsCredentials | "host";
  /** Sends a request. What it throws with `retryable` is sent again, except with `isAsked`. */
  send: (request: OutgoingRequest, signal: AbortSignal | undefined) => Promise<KmsAnswer>;
};

export type KmsPublicKey = {
  /** SPKI as DER. */
  publicKey: Uint8Array | undefined;
  keySpec: string | undefined;
  keyUsage: string | undefined;
};

export type KmsAlgorithm = "ECDSA_SHA_256" | "RSASSA_PKCS1_V1_5_SHA_256";

/** The calls of AWS KMS that signing takes. Rejects with the errors of the SDK, and with those of `send`. */
export type KmsCalls = {
  publicKey(keyId: string, signal: AbortSignal): Promise<KmsPublicKey>;
  /** The signature of a digest, ECDSA as DER. */
  sign(
    key: { keyId: string; algorithm: KmsAlgorithm },
    digest: Uint8Array,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined>;
};

/** A person waits for the public key. */
const ATTEMPTS = 4;
/** More than fit into any time-out. */
const SIGNING_ATTEMPTS = 10_000;

/**
 * Opens the SDK of AWS. Given credentials are used with the other given settings, and nothing else of the environment;
 * `"host"` with all that AWS's own tools read.
 */
export function openKms({ region, endpoint, credentials, send }: KmsSettings): KmsCalls {
  const requestHandler = handlerOf(send);
  const given = {
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === "host"
      ? { credentials: defaultProvider({ clientConfig: { requestHandler } }) }
      : onlyGiven(credentials)),
    retryMode: "standard",
    requestHandler,
  };
  const client = new KMSClient({ ...given, maxAttempts: ATTEMPTS });
  const patient = { ...given, maxAttempts: SIGNING_ATTEMPTS };
  const { retryStrategy } = new KMSClient(patient).config;
  // Until its time-out, while AWS KMS says that it did not sign.
  const signing = new KMSClient({ ...patient, retryStrategy: carefully(retryStrategy) });
  return {
    async publicKey(keyId, abortSignal) {
      const answer = await client.send(new GetPublicKeyCommand({ KeyId: keyId }), { abortSignal });
      // The older name is that of some emulators.
      const keySpec = answer.KeySpec ?? answer.CustomerMasterKeySpec;
      return { publicKey: answer.PublicKey, keySpec, keyUsage: answer.KeyUsage };
    },
    async sign({ keyId, algorithm }, digest, abortSignal) {
      const command = new SignCommand({
        KeyId: keyId,
        Message: digest,
        MessageType: "DIGEST",
        SigningAlgorithm: algorithm,
      });
      return (await signing.send(command, { abortSignal })).Signature;
    },
  };
}

function onlyGiven({ accessKeyId, secretAccessKey, sessionToken }: KmsCredentials) {
  return {
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    ignoreConfiguredEndpointUrls: true,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    defaultsMode: "standard" as const,
    userAgentAppId: "",
  };
}

/** What the SDK sends with. Its requests for the credentials of a host go the same way, by their own addresses. */
function handlerOf(send: KmsSettings["send"]) {
  return {
    async handle(request: SdkRequest, { abortSignal }: { abortSignal?: unknown } = {}) {
      try {
        const response = await send(outgoing(request), abortSignal as AbortSignal | undefined);
        return { response };
      } catch (error) {
        // The SDK repeats what has this property.
        if ((error as { retryable?: unknown }).retryable === true)
          Object.assign(error as object, { $retryable: {} });
        throw error;
      }
    },
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
  };
}

/** The parts of the SDK's request that are used. */
type SdkRequest = {
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query?: Record<string, string | string[] | null>;
  method: string;
  headers: Record<string, string>;
  body?: unknown;
};

function outgoing({
  protocol,
  hostname,
  port,
  path,
  query,
  method,
  headers,
  body,
}: SdkRequest): OutgoingRequest {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value ?? ""]) search.append(name, one);
  }
  return {
    origin: `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}`,
    path: search.size === 0 ? path : `${path}?${search}`,
    method: method as OutgoingRequest["method"],
    headers,
    ...(body === undefined || body === null ? {} : { body: textOf(body) }),
  };
}

function textOf(body: unknown): string {
  return typeof body === "string" ? body : new TextDecoder().decode(body as Uint8Array);
}

type Usual = KMSClient["config"]["retryStrategy"];
/** The present kind. The SDK has an older one in its types, which it does not make by itself. */
type Strategy = Extract<Awaited<ReturnType<Usual>>, { recordSuccess: unknown }>;

/** Statuses of a proxy that has handed the request on, and got no answer. */
const LOST = [502, 504];

/** The retries of the SDK, but for requests that AWS KMS may have carried out. */
function carefully(ofSdk: Usual): Strategy {
  const usual = ofSdk as () => Promise<Strategy>;
  return {
    acquireInitialRetryToken: async (scope) => (await usual()).acquireInitialRetryToken(scope),
    async refreshRetryTokenForRetry(token, info) {
      if (mayBeDone(info.error)) throw info.error;
      return (await usual()).refreshRetryTokenForRetry(token, info);
    },
    recordSuccess: (token) => usual().then((strategy) => strategy.recordSuccess(token)),
  };
}

function mayBeDone(error: unknown): boolean {
  const { isAsked, $metadata } = error as { isAsked?: unknown; $metadata?: { httpStatusCode?: number } };
  return isAsked === true || LOST.includes($metadata?.httpStatusCode ?? 0);
}
