import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** A free port outside the ephemeral range, so that no other process is given it, or the next one, meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 30_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return once(server, "close").then(() => port);
  }
}
