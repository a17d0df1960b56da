import should from "should";
import { eventsOfFile, type ReadEventFile } from "../../rehearsal/parent/events/event-file.ts";
import type { PastEvent } from "../../rehearsal/shared/job.ts";
import { jobOf, rehearse, SPAN } from "../support/rehearsal.ts";
import { exampleJob } from "../support/rehearsed-example.ts";
import { scenarioOf } from "../support/scenario-files.ts";
import { itWide } from "../support/wide.ts";

const on = (id: string, type: string, wires: string[][], more: object = {}) => ({
  ...{ id, type, z: "tab", x: 1, y: 1, wires },
  ...more,
});

/** Each takes longer than any simulated time that follows: the clock waits for it. */
const WORK = `
const zip = (bytes) => new Promise((resolve, reject) =>
  zlib.gzip(bytes, (error, zipped) => error ? reject(error) : resolve(zipped)));
const began = Date.now();
await new Promise((resolve) => crypto.pbkdf2("a", "b", 200000, 64, "sha512", resolve));
await crypto.subtle.digest("SHA-256", Buffer.alloc(2 ** 24));
await zip(Buffer.alloc(2 ** 24));
msg.payload = Date.now() - began;
return msg;`;

async function pastOf(file: ReadEventFile): Promise<PastEvent[]> {
  const past: PastEvent[] = [];
  for await (const batch of eventsOfFile(file).batches) past.push(...batch);
  return past;
}

describe("a rehearsal of the same events", function () {
  this.timeout(180_000);

  it("gives the same report, also where the span ends at the last event", async () => {
    const file = await scenarioOf("drain", 1);
    const short = { ...file, events: file.events.slice(0, 40) };
    const job = await exampleJob("02-large-transfer-alert", short);
    const past = await pastOf(short);
    const first = await rehearse(job, past);
    should(first.outcomes.filter(({ kind }) => kind === "alert")).have.length(2);
    should(first.outcomes.some(({ kind }) => kind === "sent")).be.true();
    should(JSON.stringify(await rehearse(job, past))).equal(JSON.stringify(first));
  });

  itWide("waits for the work of other threads", async () => {
    const libs = ["crypto", "zlib"].map((name) => ({ var: name, module: name }));
    const report = await rehearse(
      jobOf([
        { id: "tab", type: "tab" },
        on("start", "inject", [["work"]], { props: [], repeat: "", once: true, onceDelay: "0.1" }),
        on("tick", "inject", [[]], { props: [], repeat: "1" }),
        on("work", "function", [["out"]], { func: WORK, outputs: 1, libs }),
        on("out", "mqtt out", []),
      ]),
    );
    should(report.outcomes.map(({ at, message }) => [at - SPAN.from, message])).match([
      [100, { payload: 0 }],
    ]);
  });
});
