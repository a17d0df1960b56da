import type { KMSClient } from "@aws-sdk/client-kms";

type Usual = KMSClient["config"]["retryStrategy"];
/** The present kind. The SDK has an older one in its types, which it does not make by itself. */
type Strategy = Extract<Awaited<ReturnType<Usual>>, { recordSuccess: unknown }>;

/** Statuses of a proxy that has handed the request on, and got no answer. */
const LOST = [502, 504];

/** The retries of the SDK, but for requests that AWS KMS may have carried out. */
export function carefully(ofSdk: Usual): Strategy {
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
