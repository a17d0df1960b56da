import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import should from "should";
import { type Anvil, startAnvil } from "../src/chain/anvil.ts";
import { ServiceProblem, startService } from "../src/index.ts";
import { temporaryFolder } from "./support.ts";

describe("the data directory of the local service", function () {
  this.timeout(120_000);
  let folder: ReturnType<typeof temporaryFolder>;
  let node: Anvil;
  let dataDir: string;

  before(async () => {
    folder = temporaryFolder();
    node = await startAnvil(join(folder.path, "node"));
  });
  after(async () => {
    await node.stop();
    folder.dispose();
  });
  beforeEach(() => {
    dataDir = join(folder.path, `data ${Math.random()}`);
    mkdirSync(dataDir, { mode: 0o755 });
  });

  it("is for its owner's eyes only, also where the folder was there before", async () => {
    const service = await startService({ dataDir, rpcUrl: node.rpcUrl });
    const files = readdirSync(dataDir);
    const modes = files.map((name) => [name, (statSync(join(dataDir, name)).mode & 0o777).toString(8)]);
    await service.close();
    files.should
      .containEql("service.sqlite")
      .and.containEql("relayer-key")
      .and.containEql("oracle-keys.json");
    modes.should.eql(files.map((name) => [name, "600"]));
  });

  it("is refused in a sentence that quotes no key when a key in it is damaged", async () => {
    const damaged = { "relayer-key": "0xdeadbeef12345678", "oracle-keys.json": '["0xdeadbeef12345678" x' };
    for (const [name, text] of Object.entries(damaged)) {
      writeFileSync(join(dataDir, name), text);
      const problem = await startService({ dataDir, rpcUrl: node.rpcUrl }).catch((error: unknown) => error);
      should(problem).be.instanceOf(ServiceProblem);
      String(problem)
        .should.containEql(name)
        .and.match(/Restore the file/)
        .and.not.match(/deadbeef/);
      rmSync(join(dataDir, name));
    }
  });
});
