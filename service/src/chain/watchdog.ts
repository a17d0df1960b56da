// Ends anvil when the service is gone. The service holds the other end of our standard input: however it
// ends, `kill -9` included, the system closes that pipe. The first line names the process to end.
import { createInterface } from "node:readline";
import { isAlive } from "./process.ts";

/** Time to save the chain's state. */
const GRACE_MS = 2000;

let pid: number | undefined;
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  pid = Number(line);
});
lines.on("close", () => {
  if (pid === undefined || !isAlive(pid)) return;
  const chain = pid;
  process.kill(chain, "SIGTERM");
  const deadline = Date.now() + GRACE_MS;
  const timer = setInterval(() => {
    if (isAlive(chain) && Date.now() < deadline) return;
    if (isAlive(chain)) process.kill(chain, "SIGKILL");
    clearInterval(timer);
  }, 50);
});
