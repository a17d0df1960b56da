import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { eventually } from "../support/eventually.ts";
import { RunningExample } from "../support/example.ts";

type Page = { events: unknown[] };

describe("the example event search to CSV", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  let folder: string;
  let file: string;
  let channelId: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec-csv-"));
    // In a folder that does not exist yet.
    file = join(folder, "reports", "transfers.csv");
    flow = await RunningExample.start("08-events-to-csv", { env: { CREC_CSV_FILE: file } });
    await flow.pressed("Set up", "ready");
    channelId = await flow.channelId();
  });
  after(async () => {
    await flow?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Each transfer is there twice: in a block, and final. */
  const kept = async (count: number) => {
    const events = () =>
      flow.call<Page>("GET", `/channels/${channelId}/events/search?type=watcher.event&limit=200`);
    await eventually(`${count} events`, events, (seen) => seen.events.length >= count);
  };
  const lines = async () => (await readFile(file, "utf8")).split("\r\n").filter((line) => line !== "");

  it("writes a row for each final transfer with a valid proof, nothing without one, and the file anew each time", async () => {
    await flow.press("Export");
    await flow.nodeRed.status(flow.id("crec-search-events"), ({ fill }) => fill === "green");
    should(existsSync(file)).be.false();

    const hashes: string[] = [];
    for (const tokens of [12.5, 0.1, 100]) {
      hashes.push(await flow.pressed<string>("Transfer", "moved", { payload: tokens }));
    }
    await kept(6);
    should(await flow.pressed("Export", "written")).deepEqual({ file, rows: 3 });
    const [head, ...rows] = await lines();
    should(head).equal("time,block,transaction,from,to,tokens");
    const cells = rows.map((row) => row.split(","));
    should(cells.map((row) => row[2]).sort()).deepEqual([...hashes].sort());
    should(cells.map((row) => Number(row[5])).sort((a, b) => a - b)).deepEqual([0.1, 12.5, 100]);
    for (const [time = "", block] of cells) {
      should(Math.abs(Date.now() - Date.parse(time))).be.below(3_600_000);
      should(block).match(/^\d+$/);
    }

    await flow.pressed("Transfer", "moved");
    await kept(8);
    should(await flow.pressed("Export", "written")).deepEqual({ file, rows: 4 });
    should(await lines()).have.length(5);
    should(flow.values("error")).be.empty();
  });
});
