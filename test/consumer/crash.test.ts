import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { itWide } from "../support/wide.ts";
import { bundle } from "./child-bundle.ts";
import { startEventServer, storedEvent } from "./event-server.ts";
import { range } from "./simulation.ts";

const EVENTS = 20;

describe("a consumer whose process ends at some events", function () {
  this.timeout(180_000);

  const givesUp = (commit: "on-send" | "on-ack", poison: readonly number[]) => async () => {
    const folder = await mkdtemp(join(tmpdir(), "crashing-"));
    const server = await startEventServer(
      range(1, EVENTS).map((offset) => JSON.stringify(storedEvent(offset))),
    );
    const program = await bundle("crashing-child", folder);
    const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") };
    const argv = [server.baseUrl, folder, commit, poison.join(), String(EVENTS)];
    try {
      let starts = 0;
      for (let isOver = false; !isOver; starts += 1) {
        should(starts).be.belowOrEqual(6 * poison.length);
        const [code] = await once(fork(program, argv, { env }), "exit");
        should(code).be.oneOf([0, 1]);
        isOver = code === 0;
      }
      // Of the first it was not known which one it is; the others were among the suspects by then.
      should(starts).be.aboveOrEqual(5 * poison.length + 1);
      const lines = (await readFile(join(folder, "collected"), "utf8")).trimEnd().split("\n");
      const offsetsOf = (kind: string) => [
        ...new Set(lines.filter((line) => line.startsWith(kind)).map((line) => Number(line.split(" ")[1]))),
      ];
      should(offsetsOf("D")).eql(range(1, EVENTS).filter((offset) => !poison.some((one) => one === offset)));
      should(offsetsOf("R")).eql([...poison]);
      should(lines).containEql("R 4 The process ended 5 times while this event was handed over.");
    } finally {
      await server.close();
      await rm(folder, { recursive: true });
    }
  };

  it(
    "gives up these and gets all others, when it is started again each time (on-send)",
    givesUp("on-send", [4]),
  );
  itWide(
    "gives up these and gets all others, when it is started again each time (on-ack)",
    givesUp("on-ack", [4, 11]),
  );
});
