import { once } from "node:events";
import { type ConnectionOptions, connect } from "node:tls";
import type { EngineSettings } from "../engine-settings.ts";
import { codeOf, networkProblem } from "../network-reason.ts";

/** For one more connection, after the client has given up. */
const ASK_MS = 1_000;

/** What the client says where no sentinel can be used, whatever the reason. */
export const NO_SENTINEL = /sentinels are unreachable/;

/** Why no sentinel can be used, where that is TLS. */
export async function sentinelTlsFailure(
  { sentinel, tls }: EngineSettings,
  error: unknown,
): Promise<unknown> {
  if (sentinel === undefined || tls === undefined || !NO_SENTINEL.test(String(error))) return undefined;
  const asked = sentinel.sentinels.map((place) => failureOf({ ...place, ...(tls.settings as object) }));
  const failures = await Promise.all(asked);
  return failures.find((one) => networkProblem(codeOf(one))?.kind === "refused");
}

async function failureOf(options: ConnectionOptions): Promise<unknown> {
  try {
    const socket = connect(options);
    try {
      await once(socket, "secureConnect", { signal: AbortSignal.timeout(ASK_MS) });
      return undefined;
    } finally {
      socket.on("error", () => {}).destroy();
    }
  } catch (error) {
    return error;
  }
}
