import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parse } from "acorn";
import should from "should";
import { harnessFlow, refuse } from "../support/flow-harness.ts";
import { example, type FlowNode, idOf, NodeRed, UserDir } from "../support/node-red.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const preload = fileURLToPath(new URL("../support/older-node.cjs", import.meta.url));
const SENTENCE = "These nodes need Node.js 20.18.1 or newer; this is 18.20.4. Update Node.js.";

/** On a Node.js older than package.json allows: one sentence, where people look, instead of a crash. */
describe("the nodes on Node.js 18", function () {
  this.timeout(120_000);

  it("can be read by it, each file", async () => {
    const folder = `${root}/dist/nodes/`;
    const names = (await readdir(folder)).filter((name) => name.endsWith(".js"));
    should(names.length).be.above(10);
    for (const file of [
      ...names.map((name) => folder + name),
      `${root}/dist/run-time.js`,
      `${root}/dist/node-version.js`,
    ]) {
      const text = await readFile(file, "utf8");
      should(() => parse(text, { ecmaVersion: 2022, allowReturnOutsideFunction: true })).not.throw();
    }
  });

  describe("in Node-RED", () => {
    let userDir: UserDir;
    let nodeRed: NodeRed;
    let flows: FlowNode[];
    let types: string[];

    before(async () => {
      const { "node-red": listed } = JSON.parse(await readFile(`${root}/package.json`, "utf8"));
      types = Object.keys(listed.nodes).map((name) => `crec-${name}`);
      [userDir, flows] = await Promise.all([UserDir.make(), example("01-quickstart")]);
      nodeRed = await NodeRed.start(userDir, { NODE_OPTIONS: `--require ${JSON.stringify(preload)}` });
    });
    after(async () => {
      await nodeRed?.kill();
      await userDir?.remove();
    });

    it("are all there, and each says so in the log and in its status", async () => {
      const known = types.filter((type) => !flows.some((node) => node.type === type));
      const others = known.map((type) => ({ id: `${type}-1`, type, z: "tab", x: 1, y: 1, wires: [] }));
      await nodeRed.deploy([...flows, { id: "tab", type: "tab", label: "others" }, ...others]);
      for (const type of types) {
        const id = known.includes(type) ? `${type}-1` : idOf(flows, type);
        await nodeRed.status(id, SENTENCE);
        should(nodeRed.log).containEql(`[${type}:`);
      }
      should(nodeRed.log.match(/CRE Connect: .*/g)).deepEqual([`CRE Connect: ${SENTENCE}`]);
      should(nodeRed.log).not.match(/^\s+at /m);
    });

    it("answer a message with it, for a catch node", async () => {
      const node = { id: "crec-api-1", type: "crec-api" };
      await nodeRed.deploy(harnessFlow([], [[node, 1]]));
      const { error } = await refuse(nodeRed, node.id, { payload: "/channels" });
      should(error).have.properties({ message: SENTENCE, code: "NODEJS_TOO_OLD" });
    });
  });
});
