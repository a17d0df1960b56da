import should from "should";
import { eventually as awaited } from "../support/eventually.ts";
import { inVariants } from "../support/variants.ts";
import { allEnded, type Launched, LaunchersOnTrial, type Ready } from "./launched.ts";
import { SourcesCopy } from "./sources-copy.ts";

/** 5 s on a machine with nothing else to do. */
const END_MS = 60_000;

describe("npm run dev", function () {
  this.timeout(180_000);
  const launchers = new LaunchersOnTrial();
  let sources: SourcesCopy;
  let launched: Launched;
  let starts = 0;
  let ready: Ready;
  let editor: string;

  before(async function () {
    if (process.platform !== "linux") this.skip();
    sources = await SourcesCopy.make();
    await launchers.setUp(sources.folder);
  });
  /** All tests use one, unless the test before has ended it. */
  beforeEach(async () => {
    if (starts > 0 && launched.processes().length > 0) return;
    launched = launchers.node("scripts/dev.ts");
    ready = await launched.ready;
    editor = ready.editor_url ?? "";
    if (starts === 0) await addFlow(editor);
    starts += 1;
    await eventually("the flow to run", async () => (await probe(editor)).includes("There is no"));
  });
  after(async function () {
    await launchers.tearDown(this);
    await sources?.remove();
  });

  function pidOf(name: string): number {
    const found = launched.processes().find(({ command }) => command.includes(name));
    if (found === undefined) throw new Error(`${name} does not run:\n${launched.said()}`);
    return found.pid;
  }
  const nodeRed = () => pidOf("node-red");
  const service = () => pidOf("service/src/cli.ts");

  it("restarts Node-RED with its flows after a change in a node's run time", async () => {
    const before = service();
    const text = unique("There is nothing to acknowledge");
    await sources.replace("nodes/ack/node.ts", /"There is no[^"]*"/, `"${text}"`);

    await eventually("the flow to say it", async () => (await probe(editor)) === text);
    should(service()).equal(before);
  });

  inVariants(() => {
    it("serves the changed form", async () => {
      const label = unique("Then do");
      const help = unique("This is the help");
      await sources.replace("nodes/ack/locales/en-US/ack.json", /"action": "[^"]*"/, `"action": "${label}"`);
      await sources.replace("nodes/ack/locales/en-US/ack.md", /^.*/, help);

      await eventually("the help", async () => (await page(`${editor}nodes`)).includes(help));
      await eventually("the label", async () =>
        (await page(`${editor}nodes/messages?lng=en-US`)).includes(label),
      );
    });

    it("gives the scripts of forms source maps", async () => {
      const maps = (await page(`${editor}nodes`)).matchAll(
        /sourceMappingURL=data:application\/json;base64,(\S+)/g,
      );
      const found = [...maps].flatMap(([, map = ""]) => {
        const { sourceRoot, sources } = JSON.parse(Buffer.from(map, "base64").toString());
        return sources.map((source: string) => new URL(source, sourceRoot).href);
      });
      should(found).containEql(new URL(`file://${sources.folder}/nodes/ack/editor.ts`).href);
    });

    it("restarts the service with its data after a change in its source", async () => {
      const [before, counter] = [nodeRed(), ready.contracts.Counter];
      const name = unique("a channel");
      should((await channels({ name })).status).equal(201);
      const title = unique("The channel service");
      await sources.replace("service/src/api/start-page/start-page.ts", /<h1>[^<]*</, `<h1>${title}<`);

      await eventually("its page", async () => (await page(ready.base_url)).includes(title));
      should(await (await channels()).json()).containDeep({ data: [{ name }] });
      should(await codeAt(ready.rpc_url, counter)).match(/^0x../);
      should(nodeRed()).equal(before);
    });
  });

  it("prints the file and line of an error, keeps running, and uses the next good save", async () => {
    const [before, answer] = [nodeRed(), await probe(editor)];
    const line = await sources.replace("nodes/ack/node.ts", /const context/, "const const context");
    await launched.says(`nodes/ack/node.ts:${line}:10: ERROR`);
    should(nodeRed()).equal(before);
    should(await probe(editor)).equal(answer);
    should((await channels()).status).equal(200);

    const text = unique("It is good again");
    await sources.replace("nodes/ack/node.ts", /const const/, "const");
    await sources.replace("nodes/ack/node.ts", /"There is no[^"]*"/, `"There is no: ${text}"`);
    await eventually("the flow to say it", async () => (await probe(editor)).includes(text));
  });

  inVariants(() => {
    it("does the same with an error in the service", async () => {
      const line = await sources.replace("service/src/cli.ts", /let ending/, "let if ending");
      await launched.says(`service/src/cli.ts:${line}:4: ERROR`);
      should((await channels()).status).equal(200);
      const title = unique("The channel service");
      await sources.replace("service/src/cli.ts", /let if/, "let");
      await sources.replace("service/src/api/start-page/start-page.ts", /<h1>[^<]*</, `<h1>${title}<`);
      await eventually("its page", async () => (await page(ready.base_url)).includes(title));
    });

    it("restarts a killed process at the next save", async () => {
      for (const pid of [nodeRed(), service()]) process.kill(pid, "SIGKILL");
      await launched.says("Node-RED ended by itself (signal SIGKILL)");
      await launched.says("The local service ended by itself (signal SIGKILL)");

      await sources.replace("nodes/ack/node.ts", /$/, "\n// Saved.\n");
      await eventually("the flow", async () => (await probe(editor)).includes("There is no"));
      await eventually("the service", async () => (await channels()).status === 200);
    });
  });

  it("ends everything on Ctrl-C", async () => {
    launched.process.kill("SIGINT");
    should(await launched.ended).equal(0);
    should(launched.processes()).be.empty();
  });

  inVariants(() => {
    it("leaves nothing running when npm is killed during a build", async () => {
      const again = launchers.npm("run", "dev");
      await again.ready;
      await sources.replace("nodes/ack/node.ts", /$/, "\n// Saved.\n");
      again.process.kill("SIGKILL");
      await allEnded(again, END_MS);
    });
  });

  function channels(create?: { name: string }): Promise<Response> {
    return fetch(`${ready.base_url}/channels`, {
      method: create ? "POST" : "GET",
      headers: { Authorization: `Apikey ${ready.api_key}`, "Content-Type": "application/json" },
      ...(create ? { body: JSON.stringify(create) } : {}),
    });
  }

  /** Waits until it is so; what is not there at the moment is not so. */
  async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
    await awaited(what, () => isSo().catch(() => false)).catch((error: Error) => {
      throw new Error(`${error.message}\n${launched.said()}`);
    });
  }
});

/** A second run of a test must not find what the first one wrote. */
function unique(text: string): string {
  return `${text} ${Math.random().toString(36).slice(2)}`;
}

async function page(url: string): Promise<string> {
  return (await fetch(url, { headers: { Accept: "text/html", "Accept-Language": "en-US" } })).text();
}

/** Adds a flow that answers GET /probe with the error of an ack event node. */
async function addFlow(editor: string): Promise<void> {
  const headers = { "Node-RED-API-Version": "v2", "Content-Type": "application/json" };
  const { flows } = await (await fetch(`${editor}flows`, { headers })).json();
  const at = { z: "probe", x: 100, y: 100 };
  const added = [
    { id: "probe", type: "tab", label: "probe" },
    { ...at, id: "probe-in", type: "http in", url: "/probe", method: "get", wires: [["probe-ack"]] },
    { ...at, id: "probe-ack", type: "crec-ack", action: "ack", wires: [[]] },
    { ...at, id: "probe-catch", type: "catch", scope: ["probe-ack"], wires: [["probe-text"]] },
    {
      ...at,
      id: "probe-text",
      type: "function",
      func: "msg.payload = msg.error.message; return msg;",
      wires: [["probe-out"]],
    },
    { ...at, id: "probe-out", type: "http response", wires: [] },
  ];
  const body = JSON.stringify({ flows: [...flows, ...added] });
  const { status } = await fetch(`${editor}flows`, { method: "POST", headers, body });
  should(status).equal(200);
}

async function probe(editor: string): Promise<string> {
  const response = await fetch(`${editor}probe`);
  return response.ok ? response.text() : "";
}

async function codeAt(rpcUrl: string, address = ""): Promise<string> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getCode", params: [address, "latest"] });
  const headers = { "Content-Type": "application/json" };
  return (await (await fetch(rpcUrl, { method: "POST", headers, body })).json()).result;
}
