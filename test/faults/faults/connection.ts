import type { ServerResponse } from "node:http";
import type { Fault, Struck } from "./fault.ts";

const DRIP_MS = 100;

/** The connection breaks, stands still, or passes on a part. The service has acted by then. */
export const CONNECTION_FAULTS: readonly Fault[] = [
  {
    name: "reset before headers",
    acts: true,
    passes: true,
    codes: ["SERVICE_UNREACHABLE"],
    answer: ({ response }) => reset(response),
  },
  {
    name: "reset mid-body",
    acts: true,
    passes: true,
    codes: ["SERVICE_UNREACHABLE"],
    answer: (struck) => {
      const { response, body } = begun(struck);
      response.write(body.subarray(0, body.length >> 1), () => reset(response));
    },
  },
  {
    name: "stalled",
    acts: true,
    passes: true,
    codes: ["TIMEOUT"],
    isSlow: true,
    answer: () => {},
  },
  {
    name: "dripping",
    acts: true,
    passes: true,
    codes: ["TIMEOUT"],
    isSlow: true,
    answer: (struck) => {
      const { response } = begun(struck, 1_000_000);
      const drip = setInterval(() => response.write(" "), DRIP_MS);
      response.once("close", () => clearInterval(drip));
    },
  },
];

/** The head of the answer, which promises its whole body, or so many bytes. */
function begun({ response, answered }: Struck, length?: number) {
  const { status = 200, body = Buffer.from("{}") } = answered ?? {};
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": length ?? Math.max(2, body.length),
  });
  return { response, body };
}

function reset({ socket }: ServerResponse): void {
  // A TLS socket has no reset of its own.
  if (socket && "encrypted" in socket) socket.destroy();
  else socket?.resetAndDestroy();
}
