import {
  bounded,
  type OutgoingRequest,
  openSocketPool,
  proxyFor,
  type SocketPool,
  type UsedProxy,
  withProxy,
} from "../../http/index.ts";
import type { KmsAnswer } from "./aws-kms/index.ts";
import { closed, requestFailure, silent } from "./custodian-client.ts";
import type { CustodyOptions } from "./custody-signer.ts";

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
