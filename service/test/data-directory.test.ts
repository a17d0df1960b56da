import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import should from "should";
import { ServiceProblem, startService } from "../src/index.ts";
import { openDatabase, storageProblem } from "../src/store/database.ts";
import { useOwnNode } from "./own-node.ts";

const PAGE_BYTES = 32_768;

describe("the data directory of the local service", function () {
  this.timeout(120_000);
  const own = useOwnNode();
  let dataDir: string;

  beforeEach(() => {
    dataDir = join(own.folder.path, `data ${Math.random()}`);
    mkdirSync(dataDir, { mode: 0o755 });
  });

  it("is readable only by its owner, also where the folder existed before", async () => {
    const service = await startService({ dataDir, rpcUrl: own.node.rpcUrl });
    const files = readdirSync(dataDir);
    const modes = files.map((name) => [name, (statSync(join(dataDir, name)).mode & 0o777).toString(8)]);
    await service.close();
    files.should
      .containEql("service.sqlite")
      .and.containEql("relayer-key")
      .and.containEql("oracle-keys.json");
    modes.should.eql(files.map((name) => [name, "600"]));
  });

  it("is refused without quoting a key when a key in it is damaged", async () => {
    const damaged = { "relayer-key": "0xdeadbeef12345678", "oracle-keys.json": '["0xdeadbeef12345678" x' };
    for (const [name, text] of Object.entries(damaged)) {
      writeFileSync(join(dataDir, name), text);
      const problem = await startService({ dataDir, rpcUrl: own.node.rpcUrl }).catch(
        (error: unknown) => error,
      );
      should(problem).be.instanceOf(ServiceProblem);
      String(problem)
        .should.containEql(name)
        .and.match(/Restore the file/)
        .and.not.match(/deadbeef/);
      rmSync(join(dataDir, name));
    }
  });

  it("is refused with what to do when its database is damaged anywhere", async () => {
    await (await startService({ dataDir, rpcUrl: own.node.rpcUrl })).close();
    const file = join(dataDir, "service.sqlite");
    const whole = readFileSync(file);
    const pages = whole.length / PAGE_BYTES;
    should(pages).be.above(3);
    for (const at of [0, 100, 2 * PAGE_BYTES, (pages - 1) * PAGE_BYTES]) {
      const damaged = Buffer.from(whole);
      damaged.fill(0xff, at, at + 64);
      writeFileSync(file, damaged);
      const problem = await startService({ dataDir, rpcUrl: own.node.rpcUrl }).catch(
        (error: unknown) => error,
      );
      should(problem).be.instanceOf(ServiceProblem);
      String(problem).should.startWith(`ServiceProblem: The database ${file} is damaged (`);
      String(problem).should.match(/restore a copy.*move it away.*-wal.*starts without channels/);
    }
    writeFileSync(file, whole);
    await (await startService({ dataDir, rpcUrl: own.node.rpcUrl })).close();
  });

  it("is refused with what to do when the disk is full", async function () {
    // A device on which each write fails as on a full disk.
    if (!existsSync("/dev/full")) this.skip();
    symlinkSync("/dev/full", join(dataDir, "relayer-key.new"));
    const problem = await startService({ dataDir, rpcUrl: own.node.rpcUrl }).catch((error: unknown) => error);
    should(problem).be.instanceOf(ServiceProblem);
    should(String(problem)).match(
      /The disk that holds the data directory .* is full \(.*ENOSPC.*\)\. Free some space/,
    );
  });

  it("is the only place on disk that the database writes to", () => {
    const database = openDatabase(dataDir);
    const { temp_store } = database.prepare("PRAGMA temp_store").get() ?? {};
    database.close();
    // In memory, and not in the system's temporary folder.
    should(temp_store).equal(2);
  });

  it("is also reported when the database cannot be written while the service runs", async () => {
    const database = openDatabase(dataDir);
    try {
      const { page_count } = database.prepare("PRAGMA page_count").get() as { page_count: number };
      database.exec(`PRAGMA max_page_count = ${page_count}`);
      const fill = () => database.exec("INSERT INTO settings VALUES ('full', hex(zeroblob(1000000)))");
      should(fill).throw();
      try {
        fill();
      } catch (error) {
        should(storageProblem(error, dataDir)?.message).match(
          /is full \(database or disk is full\)\. Free some/,
        );
      }
    } finally {
      database.close();
    }
  });
});
