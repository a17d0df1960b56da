import {
  bounded,
  ClientClosedError,
  type OutgoingRequest,
  openSocketPool,
  proxyFor,
  type SocketPool,
} from "../../http/index.ts";
import type { KmsAnswer } from "./aws-kms/index.ts";
import type { CustodyOptions } from "./custody-signer.ts";
import { SignerError } from "./signer-error.ts";

export type KmsRequests = {
  /** Fires when it is closed. */
  closing: AbortSignal;
  /** @throws {SignerError} `SIGNER_UNAVAILABLE`; {AbortedError}; {ClientClosedError} */
  send(request: OutgoingRequest, signal: AbortSignal | undefined): Promise<KmsAnswer>;
  close(): Promise<void>;
};

const CONNECT_TIMEOUT_MS = 5_000;
const ATTEMPT_TIMEOUT_MS = 8_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * Sends the requests of the SDK, by the TLS settings and the proxy of the signer. Most go to one address; those for the
 * credentials of a host go to others.
 */
export function openKmsRequests({ tls, proxy }: CustodyOptions): KmsRequests {
  const pools = new Map<string, SocketPool>();
  const poolOf = (origin: string): SocketPool => {
    const pool =
      pools.get(origin) ??
      openSocketPool({
        tls,
        proxy: proxyFor(proxy, new URL(origin), process.env),
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
      const bounds = {
        timeoutMs: ATTEMPT_TIMEOUT_MS,
        onTimeout: () => silent(request.origin),
        signals: [signal, closing.signal],
      };
      return bounded(bounds, async (within) => {
        const { dispatcher } = poolOf(request.origin);
        try {
          const { statusCode, headers, body } = await dispatcher.request({ ...request, signal: within });
          return { statusCode, headers: single(headers), body: new TextEncoder().encode(await body.text()) };
        } catch (error) {
          throw unreachable(error, request.origin);
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

function unreachable(error: unknown, origin: string): SignerError {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const text = `AWS at ${origin} cannot be reached (${String(code ?? "no answer")}). Check the region and the endpoint in the signer, the network, and the proxy and TLS settings.`;
  return new SignerError("SIGNER_UNAVAILABLE", text, { cause: new Error(String(message)) });
}

function silent(origin: string): SignerError {
  const message = `AWS at ${origin} does not answer. Check the network, and try again later.`;
  return new SignerError("SIGNER_UNAVAILABLE", message);
}

function closed(): ClientClosedError {
  const message =
    "The signer was closed before it had a signature. Nothing was submitted with it. Create a new signer.";
  return new ClientClosedError("CLIENT_CLOSED", message);
}
